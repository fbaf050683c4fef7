// WandbWriter: what a record becomes in a run of W&B.
#include "kd/writers/wandb.h"

#include <algorithm>
#include <mutex>

#include "kd/io/image.h"
#include "kd/writers/engine/events.h"
#include "kd/writers/progress.h"
#include "kd/writers/wandb_run_impl.h"
#include "konfig/copy_fields.h"
#include "konfig/json.h"

namespace kd::writers {

namespace fs = std::filesystem;
using konfig::Value;

namespace {

using FlatConfig = std::vector<std::pair<std::string, std::string>>;

bool has_dict(const konfig::List& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const Value& value) { return value.is<konfig::Dict>(); });
}

// Flat names: "a.b" for the keys of dicts, "a[0]" for the items of lists of dicts. Other lists and
// empty dicts are values.
void flatten(const std::string& name, const Value& value, FlatConfig& out) {
  if (value.is<konfig::Dict>() && (value.as<konfig::Dict>().size() > 0 || name.empty())) {
    for (auto& [key, item] : value.as<konfig::Dict>()) {
      const std::string text = key.is<std::string>() ? key.as<std::string>() : key.repr();
      if (text != konfig::kId) flatten(konfig::join_path(name, text), item, out);
    }
  } else if (value.is<konfig::List>() && has_dict(value.as<konfig::List>())) {
    std::size_t i = 0;
    for (auto& item : value.as<konfig::List>()) {
      flatten(name + "[" + std::to_string(i++) + "]", item, out);
    }
  } else {
    out.emplace_back(name, konfig::to_json(value));
  }
}

FlatConfig flat(const konfig::ConfigDict& config) {
  FlatConfig out;
  flatten("", konfig::parse_json(konfig::to_json(config)), out);
  return out;
}

// The part of a file's name that comes from a value's: it leads to no folder above, and any system
// accepts it.
std::string file_name(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '/';
    if (!plain) c = '_';
  }
  return name;
}

// The values of one record of a collection.
class Rows {
 public:
  Rows(const std::string& collection, const Record& record)
      : collection_(collection), step_(record.step) {
    for (auto& [name, value] : record.scalars) add(name, {}, konfig::to_json(value));
    for (auto& [name, value] : record.texts) add(name, {}, text_json(value));
    for (auto& [name, value] : record.histograms) add_histogram(name, value);
    for (auto& [name, value] : record.images) add_pictures(name, pictures_of(name, value));
    for (auto& [name, value] : record.pictures) add_pictures(name, value);
  }
  const wandb::Values& values() const { return values_; }

 private:
  void add(const std::string& name, const char* part, std::string json) {
    std::vector<std::string> path = {collection_ + "/" + name};
    if (part) path.emplace_back(part);
    values_.items.push_back({std::move(path), std::move(json)});
  }

  static std::string text_json(const std::vector<std::string>& texts) {
    if (texts.size() == 1) return konfig::to_json(texts[0]);
    return konfig::to_json(konfig::List(std::vector<Value>(texts.begin(), texts.end())));
  }

  void add_histogram(const std::string& name, const Histogram& histogram) {
    const Tensor buckets = buckets_of(histogram);
    konfig::List counts, edges;
    const double* data = buckets.const_data_ptr<double>();
    for (std::int64_t i = 0; i < buckets.size(0); ++i) {
      edges.push_back(data[3 * i]);
      if (i + 1 == buckets.size(0)) edges.push_back(data[3 * i + 1]);
      counts.push_back(static_cast<std::int64_t>(data[3 * i + 2]));
    }
    add(name, "_type", "\"histogram\"");
    add(name, "values", konfig::to_json(counts));
    add(name, "bins", konfig::to_json(edges));
  }

  void add_pictures(const std::string& name, const Pictures& pictures) {
    if (pictures.files.empty()) return;
    const std::string format = pictures.files[0].starts_with("GIF") ? "gif" : "png";
    konfig::List names;
    for (const std::string& content : pictures.files) {
      const std::string file = "media/images/" + file_name(collection_ + "/" + name) + "_" +
                               std::to_string(step_) + "_" + std::to_string(names.size()) + "." +
                               format;
      names.push_back(file);
      values_.files.emplace_back(file, content);
    }
    add(name, "_type", "\"images/separated\"");
    add(name, "format", konfig::to_json(format));
    add(name, "width", std::to_string(pictures.width));
    add(name, "height", std::to_string(pictures.height));
    add(name, "count", std::to_string(names.size()));
    add(name, "filenames", konfig::to_json(names));
  }

  std::string collection_;
  std::int64_t step_;
  wandb::Values values_;
};

class Wandb final : public Writer {
 public:
  Wandb(std::unique_ptr<Writer> usual, std::shared_ptr<wandb::Run> run, std::string collection)
      : usual_(std::move(usual)), run_(std::move(run)), collection_(std::move(collection)) {}

  void write(const Record& record) override {
    usual_->write(record);
    for (auto& [name, tensor] : record.arrays) remark(record, name);
    const Rows rows(collection_, record);
    if (!rows.values().items.empty()) run_->log(collection_, record.step, rows.values());
  }
  void flush() override { usual_->flush(); }
  void write_config(const konfig::ConfigDict& config) override { run_->set_config(flat(config)); }
  void finish() override { run_->finish(); }

 private:
  static void remark(const Record& record, const std::string& name) {
    for (auto& [shown, image] : record.images) {
      if (shown == name) return;
    }
    static std::once_flag told;
    std::call_once(told, [&] {
      print_line("note: " + name + " is an array, which W&B does not show; NpzWriter writes it");
    });
  }

  std::unique_ptr<Writer> usual_;
  std::shared_ptr<wandb::Run> run_;
  std::string collection_;
};

}  // namespace

std::unique_ptr<Writer> WandbWriter::open(const fs::path& run, const std::string& collection,
                                          Before before) const {
  const fs::path base = folder_of(workdir, run, collection);
  wandb::RunInfo info{.id = id.value_or(""),
                      .entity = entity.value_or(""),
                      .project = project.value_or(""),
                      .name = name.value_or(""),
                      .group = group.value_or(""),
                      .job_type = job_type.value_or(""),
                      .notes = notes.value_or(""),
                      .sweep_id = {},
                      .host = {},
                      .tags = tags,
                      .config = flat(config)};
  auto shared = wandb::Run::of(base, info);
  shared->open(collection, before);
  KDMetricWriter usual;
  konfig::copy_fields(*this, usual);
  return std::make_unique<Wandb>(usual.open(run, collection, before), std::move(shared),
                                 collection);
}

}  // namespace kd::writers
