#include "cli/metrics_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/file.h"
#include "konfig/json.h"

namespace cli {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Value;

namespace {

constexpr std::uint64_t kEnd = 1 << 16;  // bytes that are read at the beginning and at the end

const std::vector<std::string> kUsualKeys = {"losses/*", "metrics/*"};
const std::vector<std::string> kSideKeys = {"perf_stats/*", "schedules/*"};

bool is_number(const Value& value) { return value.is<std::int64_t>() || value.is<double>(); }

void take_last(std::string_view text, RecordLines& lines, LastMetrics& out) {
  lines.read(text, [&](std::int64_t step, const Dict& scalars) {
    out.step = step;
    for (auto& [name, value] : scalars) {
      if (is_number(value)) out.values[name.as<std::string>()] = number_of(value);
    }
  });
  out.problem = lines.problem();
}

std::string read_part(const base::File& file, std::uint64_t from, std::uint64_t size) {
  std::string out(size, '\0');
  out.resize(file.read_at(from, out.data(), size));
  return out;
}

bool has_all(const LastMetrics& these, const LastMetrics& of) {
  return std::ranges::all_of(of.values, [&](auto& v) { return these.values.contains(v.first); });
}

}  // namespace

std::vector<MetricsFile> metrics_files(const fs::path& workdir, std::error_code& error) {
  std::vector<MetricsFile> out;
  for (fs::directory_iterator it(workdir, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    const fs::path file = it->path() / "metrics.jsonl";
    if (fs::is_regular_file(file, unknown)) out.push_back({it->path().filename().string(), file});
  }
  std::ranges::sort(out, {}, &MetricsFile::collection);
  return out;
}

void RecordLines::read(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == text.npos) return;
    ++line_;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    std::int64_t step = 0;
    Dict scalars;
    try {
      const Value parsed = konfig::parse_json(line);
      const Dict& record = parsed.as<Dict>();
      const Value* found = record.find("scalars");
      if (!found) continue;
      scalars = found->as<Dict>();
      step = record.at("step").as<std::int64_t>();
    } catch (const std::exception& e) {
      if (bad_++ == 0) {
        first_ = line_;
        why_ = e.what();
      }
      continue;
    }
    take(step, scalars);
  }
}

std::string RecordLines::problem() const {
  if (bad_ == 0) return "";
  const std::string line = "line " + std::to_string(first_);
  return bad_ == 1 ? line + " is no record and left out: " + why_
                   : std::to_string(bad_) + " lines are no records and left out, " + line +
                         " first: " + why_;
}

LastMetrics last_metrics(const fs::path& path) {
  const base::File file(path, O_RDONLY | O_CLOEXEC);
  const std::uint64_t size = fs::file_size(path);
  if (size > 2 * kEnd) {
    LastMetrics first, last;
    RecordLines beginning, end;
    take_last(read_part(file, 0, kEnd), beginning, first);
    const std::string text = read_part(file, size - kEnd, kEnd);
    take_last(std::string_view(text).substr(std::min(text.find('\n'), text.size() - 1) + 1), end,
              last);
    // Only the whole file has numbers of lines.
    const bool fine = first.problem.empty() && last.problem.empty();
    if (fine && !last.values.empty() && has_all(last, first)) return last;
  }
  LastMetrics out;
  RecordLines all;
  take_last(read_part(file, 0, size), all, out);
  return out;
}

double number_of(const Value& value) {
  if (auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
  if (auto* number = value.get_if<double>()) return *number;
  return std::nan("");
}

bool fits_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

std::string without_collection(const std::string& name) { return name.substr(name.find('/') + 1); }

bool fits_metric(const std::string& name, const std::vector<std::string>& patterns) {
  return fits_any(name, patterns) || fits_any(without_collection(name), patterns);
}

std::set<std::string> chosen_metrics(const std::set<std::string>& names,
                                     const std::vector<std::string>& patterns) {
  const auto chosen = [&](auto fits) {
    std::set<std::string> out;
    std::ranges::copy_if(names, std::inserter(out, out.end()), fits);
    return out;
  };
  const auto& wanted = patterns.empty() ? kUsualKeys : patterns;
  auto out = chosen([&](const std::string& name) { return fits_metric(name, wanted); });
  if (!out.empty() || !patterns.empty()) return out;
  return chosen([](const std::string& name) { return !fits_metric(name, kSideKeys); });
}

}  // namespace cli
