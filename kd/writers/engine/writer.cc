// The writers of a collection.
#include "kd/writers/engine/writer.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <mutex>

#include "base/join.h"
#include "kd/core/durable.h"
#include "kd/io/tfrecord.h"
#include "kd/writers/engine/events.h"
#include "kd/writers/files_impl.h"
#include "kd/writers/progress.h"
#include "konfig/json.h"

namespace kd::writers {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

// "12" at the start of a text.
std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end == text.data()) return {};
  return out;
}

// ---- TensorBoard --------------------------------------------------------------------------------

std::string event_file_name() {
  static int counter = 0;
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  char time[32];
  std::snprintf(time, sizeof time, "%010lld", static_cast<long long>(wall_time()));
  return std::string("events.out.tfevents.") + time + "." + host + "." +
         std::to_string(::getpid()) + "." + std::to_string(counter++) + ".v2";
}

class Events : public Writer {
 public:
  Events(fs::path folder, Before before) : folder_(std::move(folder)) {
    if (!fs::exists(folder_)) return;
    std::vector<fs::path> files;
    for (auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
    for (const fs::path& file : files) {
      const std::string name = file.filename().string();
      if (name.starts_with(base::kAside)) fs::remove(file);  // of a run that was killed
      if (name.starts_with("events.out.tfevents.")) keep_events(file, before);
    }
  }

  void write(const Record& record) override {
    const double now = wall_time();
    std::string out;
    if (!file_) out += io::tfrecord_frame(version_event(now));
    auto add = [&](const std::string& event) { out += io::tfrecord_frame(event); };
    for (auto& [name, x] : record.scalars) add(scalar_event(now, record.step, name, x));
    for (auto& [name, x] : record.images) add(image_event(now, record.step, name, x));
    for (auto& [name, x] : record.pictures) add(pictures_event(now, record.step, name, x));
    for (auto& [name, x] : record.histograms) add(histogram_event(now, record.step, name, x));
    for (auto& [name, x] : record.texts) add(text_event(now, record.step, name, x));
    if (!file_) file_ = std::make_unique<AppendFile>(folder_ / event_file_name());
    file_->append(out);
  }

 private:
  fs::path folder_;
  std::unique_ptr<AppendFile> file_;
};

// ---- CSV ----------------------------------------------------------------------------------------

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

// A row for each step, a column for each name. A new name rewrites the file with one column more.
class Csv : public Writer {
 public:
  Csv(const fs::path& folder, Before before) : path_(folder / "metrics.csv") {
    const auto lines = keep_lines(path_, [&](std::string_view line) {
      if (line.starts_with("step")) return true;
      const auto step = leading_number(line);
      return step && (!before || *step < *before);
    });
    if (!lines.empty()) columns_ = csv_fields(lines[0]);
  }

  void write(const Record& record) override {
    if (record.scalars.empty()) return;
    add_columns(record);
    std::vector<std::string> row(columns_.size());
    row[0] = std::to_string(record.step);
    for (auto& [name, value] : record.scalars) row[position(name)] = konfig::to_json(value);
    file_->append(line_of(row));
  }

 private:
  static std::string line_of(const std::vector<std::string>& fields) {
    return base::join(fields, ",", csv_field) + "\n";
  }
  std::size_t position(const std::string& name) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) -
                                    columns_.begin());
  }
  void add_columns(const Record& record) {
    const std::size_t before = columns_.size();
    if (columns_.empty()) columns_.push_back("step");
    for (auto& [name, value] : record.scalars) {
      if (position(name) == columns_.size()) columns_.push_back(name);
    }
    if (columns_.size() != before) {
      std::string text = line_of(columns_);
      bool first = true;
      for (auto& line : keep_lines(path_, [](std::string_view) { return true; })) {
        if (!std::exchange(first, false)) {
          text += line + std::string(columns_.size() - before, ',') + "\n";
        }
      }
      file_.reset();
      fs::create_directories(path_.parent_path());
      replace_file(path_, text);
    }
    if (!file_) file_ = std::make_unique<AppendFile>(path_);
  }

  fs::path path_;
  std::vector<std::string> columns_;
  std::unique_ptr<AppendFile> file_;
};

// ---- JSON lines ---------------------------------------------------------------------------------

constexpr std::string_view kLineStart = "{\"step\": ";

class JsonLines : public Writer {
 public:
  JsonLines(const fs::path& folder, Before before) : path_(folder / "metrics.jsonl") {
    keep_lines(path_, [&](std::string_view line) {
      if (!line.starts_with(kLineStart) || !line.ends_with("}")) return false;
      const auto step = leading_number(line.substr(kLineStart.size()));
      return step && (!before || *step < *before);
    });
  }

  void write(const Record& record) override {
    if (record.scalars.empty() && record.texts.empty()) return;
    Dict line{{"step", record.step}, {"time", wall_time()}};
    Dict scalars, texts;
    for (auto& [name, value] : record.scalars) scalars.set(name, value);
    for (auto& [name, value] : record.texts) {
      konfig::List all;
      for (auto& text : value) all.push_back(text);
      texts.set(name, value.size() == 1 ? Value(value[0]) : Value(all));
    }
    if (scalars.size() > 0) line.set("scalars", scalars);
    if (texts.size() > 0) line.set("texts", texts);
    if (!file_) file_ = std::make_unique<AppendFile>(path_);
    file_->append(konfig::to_json(line) + "\n");
  }

 private:
  fs::path path_;
  std::unique_ptr<AppendFile> file_;
};

// ---- Console ------------------------------------------------------------------------------------

class Console : public Writer {
 public:
  explicit Console(std::string collection) : collection_(std::move(collection)) {}

  void write(const Record& record) override {
    if (record.scalars.empty()) return;
    auto sorted = record.scalars;
    // Of the speeds one is enough to read; the files have all.
    std::erase_if(sorted, [](auto& scalar) {
      return scalar.first.starts_with("perf_stats/") && scalar.first != "perf_stats/steps_per_sec";
    });
    std::sort(sorted.begin(), sorted.end());
    const std::string line =
        "[" + std::to_string(record.step) + "] collection=" + collection_ + " ";
    print_line(line + base::join(sorted, ", ", [](auto& scalar) {
                 char number[32];
                 std::snprintf(number, sizeof number, "%.6g", scalar.second);
                 return scalar.first + "=" + number;
               }));
  }

 private:
  std::string collection_;
};

// ---- All of them --------------------------------------------------------------------------------

class All : public Writer {
 public:
  void add(std::unique_ptr<Writer> writer) { writers_.push_back(std::move(writer)); }
  void write(const Record& record) override {
    for (auto& writer : writers_) writer->write(record);
  }
  void flush() override {
    for (auto& writer : writers_) writer->flush();
  }
  void write_config(const konfig::ConfigDict& config) override {
    for (auto& writer : writers_) writer->write_config(config);
  }
  void finish() override {
    for (auto& writer : writers_) writer->finish();
  }

 private:
  std::vector<std::unique_ptr<Writer>> writers_;
};

}  // namespace

std::unique_ptr<Writer> open(const Poly<MetricWriter>& options, const fs::path& workdir,
                             const std::string& collection, std::optional<std::int64_t> resume_at) {
  if (!options) return std::make_unique<All>();
  return ops_of(options).open(options.object().get(), workdir, collection, resume_at);
}

fs::path folder_of(const konfig::Inherit<std::optional<std::string>, "workdir">& own,
                   const fs::path& workdir, const std::string& collection) {
  if (collection.empty()) {
    throw Error(ErrorKind::value, "a writer needs the name of a collection, such as \"train\"");
  }
  return own.is_given() && own.value() ? fs::path(*own.value()) : workdir;
}

void add_summary(Record& record, const std::string& name, const Tree& value) {
  if (value.kind() == Tree::Kind::texts) {
    record.texts.emplace_back(name, value.texts());
  } else if (value.type() == "Histogram") {
    record.histograms.emplace_back(
        name, Histogram{.tensor = value["tensor"].tensor(),
                        .num_buckets = value["num_buckets"].tensor().item<int>()});
  } else if (value.type() == "PointCloud") {
    static std::once_flag told;
    std::call_once(told, [&] {
      print_line("note: " + name + " is a point cloud, which no file of a run shows");
    });
  } else if (value.is_tensor()) {
    const Tensor& tensor = value.tensor();
    const bool images = tensor.is_floating_point() && tensor.dim() == 4 &&
                        (tensor.size(3) == 1 || tensor.size(3) == 3);
    if (images && tensor.numel() == 0) {
      throw Error(ErrorKind::value, name + ": there are no images in it");
    }
    if (images) record.images.emplace_back(name, tensor);
    record.arrays.emplace_back(name, tensor);
  }
}

std::unique_ptr<Writer> KDMetricWriter::open(const fs::path& run, const std::string& collection,
                                             Before before) const {
  auto all = std::make_unique<All>();
  const fs::path folder = folder_of(workdir, run, collection) / collection;
  if (tensorboard) all->add(std::make_unique<Events>(folder, before));
  if (csv) all->add(std::make_unique<Csv>(folder, before));
  if (json_lines) all->add(std::make_unique<JsonLines>(folder, before));
  if (console) all->add(std::make_unique<Console>(collection));
  return all;
}

std::unique_ptr<Writer> MultiWriter::open(const fs::path& run, const std::string& collection,
                                          Before before) const {
  auto all = std::make_unique<All>();
  for (auto& writer : writers) all->add(kd::writers::open(writer, run, collection, before));
  return all;
}

std::unique_ptr<Writer> NoopWriter::open(const fs::path&, const std::string&, Before) const {
  return std::make_unique<All>();
}

}  // namespace kd::writers
