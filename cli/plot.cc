// Curves from the files of runs.
#include "cli/plot.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "base/count_text.h"
#include "base/file.h"
#include "base/join.h"
#include "cli/errors.h"
#include "cli/metrics_files.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/write_file.h"
#include "konfig/suggest.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;

constexpr std::size_t kMostPoints = 2000;  // of a curve: more than a picture has columns

using Series = std::map<std::string, std::vector<Point>>;  // by key

Series read_series(const fs::path& file) {
  Series out;
  RecordLines lines;
  lines.read(base::read_file(file), [&](std::int64_t step, const Dict& scalars) {
    for (auto& [name, value] : scalars) {
      out[name.as<std::string>()].push_back({static_cast<double>(step), number_of(value)});
    }
  });
  if (const auto problem = lines.problem(); !problem.empty())
    remark(file.string() + ": " + problem);
  return out;
}

// An exponential mean; values that are not numbers are passed over.
void smooth(std::vector<Point>& points, double weight) {
  double mean = 0, total = 0;
  for (Point& p : points) {
    if (!std::isfinite(p.y)) continue;
    mean = weight * mean + (1 - weight) * p.y;
    total = weight * total + (1 - weight);
    p.y = mean / total;
  }
}

// The lowest and the highest of each stretch.
std::vector<Point> thinned(const std::vector<Point>& points) {
  if (points.size() <= kMostPoints) return points;
  std::vector<Point> out;
  const std::size_t parts = kMostPoints / 2;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(part * points.size() / parts);
    const auto end =
        points.begin() + static_cast<std::ptrdiff_t>((part + 1) * points.size() / parts);
    auto [low, high] =
        std::minmax_element(begin, end, [](const Point& a, const Point& b) { return a.y < b.y; });
    if (high < low) std::swap(low, high);
    out.push_back(*low);
    if (high != low) out.push_back(*high);
  }
  return out;
}

std::string run_name(const std::string& workdir) {
  const fs::path path = fs::path(workdir).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

// By their last folders, whole where these are the same.
std::vector<std::string> names_of_runs(const PlotOptions& options) {
  if (!options.names.empty()) return options.names;
  std::vector<std::string> names;
  for (const std::string& workdir : options.workdirs) names.push_back(run_name(workdir));
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() < names.size() ? options.workdirs : names;
}

bool is_loss(const std::pair<const std::string, Panel>& panel) {
  return panel.first.starts_with("losses/");
}

}  // namespace

std::vector<Panel> read_panels(const PlotOptions& options) {
  struct Found {
    std::string name;  // "eval/losses/total"
    std::string key;
    std::string label;
    std::vector<Point> points;
  };
  std::vector<Found> found;
  std::set<std::string> all, collections;  // `all`: names with their collections
  const std::vector<std::string> names = names_of_runs(options);
  for (std::size_t run = 0; run < options.workdirs.size(); ++run) {
    const std::string& workdir = options.workdirs[run];
    std::error_code error;
    const std::vector<MetricsFile> files = metrics_files(workdir, error);
    if (error) throw Failure(workdir + ": cannot be read: " + error.message());
    if (files.empty()) {
      throw Failure(workdir + ": no folder in it has a metrics.jsonl; is it the workdir of a run?");
    }
    for (const auto& [collection, file] : files) {
      collections.insert(collection);
      if (!options.collections.empty() && !fits_any(collection, options.collections)) continue;
      const std::string label =
          options.workdirs.size() > 1 ? names[run] + " " + collection : collection;
      for (auto& [key, points] : read_series(file)) {
        const std::string name = collection + "/" + key;
        all.insert(name);
        found.push_back({name, key, label, std::move(points)});
      }
    }
  }
  const std::set<std::string> chosen = chosen_metrics(all, options.keys);
  std::map<std::string, Panel> panels;
  for (Found& curve : found) {
    if (!chosen.contains(curve.name)) continue;
    if (options.smooth > 0) smooth(curve.points, std::min(options.smooth, 0.999));
    panels[curve.key].curves.push_back({curve.label, thinned(curve.points)});
  }
  // The sum of one loss says nothing new.
  if (options.keys.empty() && std::ranges::count_if(panels, is_loss) == 2) {
    panels.erase("losses/total");
  }
  std::vector<Panel> out;
  for (auto& [key, panel] : panels) out.push_back({key, std::move(panel.curves)});
  if (!out.empty()) return out;
  std::string text = "nothing to draw";
  std::set<std::string> there;
  for (const Found& curve : found) there.insert(curve.key);
  const std::vector<std::string> keys(there.begin(), there.end());
  for (const std::string& pattern : options.keys) {
    text += "; no key fits '" + pattern + "'" + konfig::did_you_mean(pattern, keys);
  }
  throw Failure(text + (keys.empty() ? "; the collections are: " + base::join(collections, ", ")
                                     : "; there are: " + base::join(keys, ", ")));
}

double Axis::place(double value) const {
  if (log) value = value > 0 ? std::log10(value) : std::nan("");
  const double from = log ? std::log10(low) : low, to = log ? std::log10(high) : high;
  return (value - from) / (to - from);
}

namespace {

// Marks at 1, 2 or 5 times a power of ten, about five of them.
Axis plain_axis(double low, double high) {
  if (!(high > low)) {
    const double pad = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= pad, high += pad;
  }
  const double rough = (high - low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (double factor : {2.0, 5.0, 10.0}) {
    if (step < rough) step = factor * power;
  }
  Axis axis{.low = low, .high = high, .marks = {}};
  for (double k = std::ceil(low / step); k * step <= high + step * 1e-9; ++k) {
    axis.marks.push_back(k * step);
  }
  return axis;
}

Axis log_axis(double low, double high) {
  Axis axis{.low = std::pow(10, std::floor(std::log10(low))),
            .high = std::pow(10, std::ceil(std::log10(high))),
            .marks = {},
            .log = true};
  if (axis.high <= axis.low) axis.high = axis.low * 10;
  const double decades = std::log10(axis.high / axis.low);
  const double step = std::max(1.0, std::ceil(decades / 6));
  for (double k = 0; k <= decades + 1e-9; k += step) {
    axis.marks.push_back(axis.low * std::pow(10, k));
  }
  return axis;
}

}  // namespace

Axis axis_of(const std::vector<Panel>& panels, bool of_y, bool log) {
  double low = INFINITY, high = -INFINITY;
  for (const Panel& panel : panels) {
    for (const Curve& curve : panel.curves) {
      for (const Point& p : curve.points) {
        const double v = of_y ? p.y : p.x;
        if (!std::isfinite(v) || (log && v <= 0)) continue;
        low = std::min(low, v), high = std::max(high, v);
      }
    }
  }
  if (low > high) low = log ? 0.1 : 0, high = 1;
  return log ? log_axis(low, high) : plain_axis(low, high);
}

std::string mark_text(double value) {
  if (std::abs(value) < 1e-300) value = 0;
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", value);
  return out;
}

void check_picture_name(const std::string& out) {
  if (out.empty() || out.ends_with(".png") || out.ends_with(".svg")) return;
  throw UsageError("--out: expected a file that ends in .png or .svg, got '" + out + "'");
}

void draw(const std::vector<Panel>& panels, const std::string& out, bool log_y) {
  check_picture_name(out);
  if (out.empty()) {
    print(text_of(panels, log_y, terminal_size(STDOUT_FILENO, {.columns = 100}).columns));
    return;
  }
  write_file(out, out.ends_with(".svg") ? svg_of(panels, log_y) : png_of(panels, log_y));
  print(out + ": " + base::count_text(std::ssize(panels), "panel") + "\n");
}

int plot(const PlotOptions& options) {
  check_picture_name(options.out);
  draw(read_panels(options), options.out, options.log_y);
  return kFine;
}

}  // namespace cli
