// NpzWriter: arrays of summaries in numpy's files, one for each step.
#include <ATen/ops/scalar_tensor.h>

#include <cstdio>
#include <regex>

#include "base/number_in.h"
#include "kd/core/durable.h"
#include "kd/io/npy.h"
#include "kd/writers/files_impl.h"
#include "konfig/copy_fields.h"
#include "konfig/error.h"

namespace kd::writers {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

std::vector<std::regex> compiled(const std::optional<std::vector<std::string>>& patterns) {
  std::vector<std::regex> out;
  for (std::size_t i = 0; patterns && i < patterns->size(); ++i) {
    try {
      out.emplace_back((*patterns)[i]);
    } catch (const std::regex_error& e) {
      throw Error(ErrorKind::value, "writer.key_patterns[" + std::to_string(i) + "]",
                  "'" + (*patterns)[i] + "' is no regular expression: " + e.what());
    }
  }
  return out;
}

Tensor number_of(const Value& name, const Value& value) {
  if (value.is<std::int64_t>()) return at::scalar_tensor(value.as<std::int64_t>(), at::kLong);
  if (value.is<double>()) return at::scalar_tensor(value.as<double>(), at::kDouble);
  if (value.is<bool>()) return at::scalar_tensor(value.as<bool>(), at::kBool);
  throw Error(ErrorKind::type, "writer.static_info." + name.as<std::string>(),
              "expected a number, got " + value.repr());
}

class Npz final : public Writer {
 public:
  Npz(const NpzWriter& options, fs::path folder, Before before)
      : options_(options), folder_(std::move(folder)), patterns_(compiled(options.key_patterns)) {
    for (auto& [name, value] : options_.static_info.items()) {
      static_.emplace_back(name.as<std::string>(), number_of(name, value));
    }
    if (!fs::exists(folder_)) return;
    std::vector<fs::path> files;
    for (auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
    for (const fs::path& file : files) {
      const std::string stem = file.stem().string();
      const auto step = base::number_in<std::int64_t>(stem);
      if (before && file.extension() == ".npz" && step && *step >= *before) fs::remove(file);
    }
  }

  void write(const Record& record) override {
    if (record.arrays.empty()) return;  // not a step that shows summaries
    std::vector<std::pair<std::string, Tensor>> arrays;
    for (auto& [name, tensor] : record.arrays) {
      if (is_wanted(name)) arrays.emplace_back(name, tensor);
    }
    for (auto& [name, value] : record.scalars) {
      const bool measured = name.starts_with("losses/") || name.starts_with("metrics/");
      if (options_.save_scalars && measured) {
        arrays.emplace_back(name, at::scalar_tensor(value, at::kDouble));
      }
    }
    if (arrays.empty()) return;
    arrays.insert(arrays.end(), static_.begin(), static_.end());
    fs::create_directories(folder_);
    char name[32];
    std::snprintf(name, sizeof name, "%09lld.npz", static_cast<long long>(record.step));
    replace_file(folder_ / name, io::npz_bytes(arrays));
  }

 private:
  bool is_wanted(const std::string& name) const {
    return !options_.key_patterns ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [&](auto& pattern) { return std::regex_search(name, pattern); });
  }

  NpzWriter options_;
  fs::path folder_;
  std::vector<std::regex> patterns_;
  std::vector<std::pair<std::string, Tensor>> static_;
};

class Both final : public Writer {
 public:
  Both(std::unique_ptr<Writer> usual, std::unique_ptr<Writer> arrays)
      : usual_(std::move(usual)), arrays_(std::move(arrays)) {}
  void write(const Record& record) override {
    usual_->write(record);
    arrays_->write(record);
  }
  void flush() override {
    usual_->flush();
    arrays_->flush();
  }

 private:
  std::unique_ptr<Writer> usual_, arrays_;
};

}  // namespace

std::unique_ptr<Writer> NpzWriter::open(const std::filesystem::path& run,
                                        const std::string& collection, Before before) const {
  const std::filesystem::path base = folder_of(workdir, run, collection);
  KDMetricWriter usual;
  konfig::copy_fields(*this, usual);
  const std::filesystem::path folder =
      output_dir ? std::filesystem::path(*output_dir) : base / "array_dumps" / collection;
  return std::make_unique<Both>(usual.open(run, collection, before),
                                std::make_unique<Npz>(*this, folder, before));
}

}  // namespace kd::writers
