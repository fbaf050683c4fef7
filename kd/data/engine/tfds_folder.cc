// Finding and opening prepared folders.
#include "kd/data/engine/tfds_folder.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/number_in.h"
#include "kd/data/engine/tfds_features.h"
#include "kd/data/formats.h"
#include "kd/io/array_record.h"
#include "kd/io/errors.h"
#include "kd/io/tfrecord.h"
#include "konfig/json.h"

namespace kd::data {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

Value read_json(const std::string& path) {
  const Bytes bytes = map_file(path);
  try {
    return konfig::parse_json(bytes.data);
  } catch (const Error& e) {
    throw in_place(path, e);
  }
}

std::int64_t whole_number(const Value& value, const std::string& path) {
  std::int64_t out = -1;
  if (auto* number = value.get_if<std::int64_t>()) {
    out = *number;
  } else if (auto* text = value.get_if<std::string>()) {
    std::from_chars(text->data(), text->data() + text->size(), out);
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 48;  // so that sums are numbers
  if (out < 0 || out > kMost) fail_in_file(path, "the length of a shard is " + value.repr());
  return out;
}

std::string text_or(const Dict& dict, const char* name, const std::string& otherwise) {
  auto* value = dict.find(name);
  auto* text = value ? value->get_if<std::string>() : nullptr;
  return text ? *text : otherwise;
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  if (auto at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

std::string five_digits(std::size_t n) {
  char out[24];
  std::snprintf(out, sizeof out, "%05zu", n);
  return out;
}

std::string shard_name(const TfdsInfo& info, std::size_t split, std::size_t shard) {
  std::string out = info.templates[split];
  const std::string index = five_digits(shard),
                    count = five_digits(info.splits[split].shards.size());
  replace(out, "{DATASET}", info.name);
  replace(out, "{SPLIT}", info.splits[split].name);
  replace(out, "{FILEFORMAT}", info.file_format);
  replace(out, "{SHARD_X_OF_Y}", index + "-of-" + count);
  replace(out, "{SHARD_INDEX}", index);
  replace(out, "{NUM_SHARDS}", count);
  return out;
}

// One file, of either format.
class Shard {
 public:
  Shard(const std::string& path, const std::string& format) {
    if (format == "array_record") {
      array_ = std::make_unique<ArrayRecordFile>(map_file(path));
    } else if (format == "tfrecord") {
      bytes_ = map_file(path);
      spans_ = index_tfrecords(bytes_);
    } else {
      fail_in_file(path,
                   "file format '" + format + "' is unknown; there are tfrecord and array_record");
    }
  }
  std::int64_t size() const {
    return array_ ? array_->size() : static_cast<std::int64_t>(spans_.size());
  }
  // `own` keeps the content where it has to be unpacked.
  std::string_view read(std::int64_t i, std::string& own) const {
    if (!array_) return tfrecord_at(bytes_, spans_[static_cast<std::size_t>(i)]);
    own = array_->read(i);
    return own;
  }
  std::uint64_t offset(std::int64_t i) const {
    return array_ ? array_->offset(i) : spans_[static_cast<std::size_t>(i)].offset;
  }

 private:
  std::unique_ptr<ArrayRecordFile> array_;
  Bytes bytes_;
  std::vector<TfRecordSpan> spans_;
};

class TfdsSplit final : public Records {
 public:
  TfdsSplit(const std::string& folder, const TfdsInfo& info, std::size_t split,
            std::shared_ptr<const TfdsFeature> features)
      : features_(std::move(features)) {
    for (std::size_t i = 0; i < info.splits[split].shards.size(); ++i) {
      const std::string path = (fs::path(folder) / shard_name(info, split, i)).string();
      shards_.emplace_back(path, info.file_format);
      paths_.push_back(path);
      const std::int64_t wanted = info.splits[split].shards[i];
      if (shards_.back().size() != wanted) {
        fail_in_file(path, "it has " + std::to_string(shards_.back().size()) +
                               " records, dataset_info.json says " + std::to_string(wanted));
      }
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + wanted);
    }
  }
  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Tree read(std::int64_t i) const override {
    return with_example(i, [&](const Example& example, const std::string& name) {
      return decode_tfds(example, *features_, name);
    });
  }
  Tree read_part(std::int64_t i, const std::string& element,
                 const ChooseBox& choose) const override {
    const auto found = features_->children.find(element);
    const bool picture = features_->kind == TfdsFeature::Kind::dict &&
                         found != features_->children.end() &&
                         found->second.kind == TfdsFeature::Kind::image;
    if (!picture) return Records::read_part(i, element, choose);
    return with_example(i, [&](const Example& example, const std::string& name) {
      return decode_tfds_part(example, *features_, name, element, choose);
    });
  }

 private:
  template <class F>
  Tree with_example(std::int64_t i, const F& decode) const {
    const auto shard = static_cast<std::size_t>(std::ranges::upper_bound(ends_, i) - ends_.begin());
    const std::int64_t place = i - (shard > 0 ? ends_[shard - 1] : 0);
    const std::string name = paths_[shard] + ": record " + std::to_string(place) + " at byte " +
                             std::to_string(shards_[shard].offset(place));
    std::string own;
    return decode(parse_example(shards_[shard].read(place, own), name), name);
  }

  std::shared_ptr<const TfdsFeature> features_;
  std::vector<Shard> shards_;
  std::vector<std::string> paths_;
  std::vector<std::int64_t> ends_;
};

class Joined final : public Records {
 public:
  Joined(std::vector<RecordsPtr> splits, std::vector<SplitRange> ranges)
      : splits_(std::move(splits)), ranges_(std::move(ranges)) {
    for (const SplitRange& range : ranges_) {
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + range.end - range.begin);
    }
  }
  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Tree read(std::int64_t i) const override {
    const auto [part, place] = place_of(i);
    return splits_[ranges_[part].split]->read(place);
  }
  Tree read_part(std::int64_t i, const std::string& element,
                 const ChooseBox& choose) const override {
    const auto [part, place] = place_of(i);
    return splits_[ranges_[part].split]->read_part(place, element, choose);
  }
  Tree gather(std::span<const std::int64_t> ids) const override {
    if (ranges_.size() != 1) return Records::gather(ids);
    std::vector<std::int64_t> moved(ids.begin(), ids.end());
    for (std::int64_t& id : moved) id += ranges_[0].begin;
    return splits_[ranges_[0].split]->gather(moved);
  }

 private:
  std::pair<std::size_t, std::int64_t> place_of(std::int64_t i) const {
    const auto part = static_cast<std::size_t>(std::ranges::upper_bound(ends_, i) - ends_.begin());
    return {part, ranges_[part].begin + i - (part > 0 ? ends_[part - 1] : 0)};
  }
  std::vector<RecordsPtr> splits_;
  std::vector<SplitRange> ranges_;
  std::vector<std::int64_t> ends_;
};

// "3.0.1" as numbers; none when it is something else.
std::optional<std::vector<int>> version_of(const std::string& text) {
  std::vector<int> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t dot = std::min(text.find('.', at), text.size());
    const auto number = base::number_in<int>(std::string_view(text).substr(at, dot - at));
    if (!number) return {};
    out.push_back(*number);
    at = dot + 1;
  }
  return out.size() == 3 ? std::optional(out) : std::nullopt;
}

bool fits(const std::string& version, const std::string& wanted) {
  if (wanted.empty()) return true;
  std::size_t a = 0, b = 0;
  while (a <= version.size() && b <= wanted.size()) {
    const auto x = version.substr(a, version.find('.', a) - a);
    const auto y = wanted.substr(b, wanted.find('.', b) - b);
    if (y != "*" && x != y) return false;
    a += x.size() + 1;
    b += y.size() + 1;
  }
  return true;
}

}  // namespace

RecordsPtr joined_ranges(std::vector<RecordsPtr> splits, std::vector<SplitRange> ranges) {
  return std::make_shared<Joined>(std::move(splits), std::move(ranges));
}

TfdsInfo read_tfds_info(const std::string& folder) {
  const std::string path = (fs::path(folder) / "dataset_info.json").string();
  const Value json = read_json(path);
  auto* info = json.get_if<Dict>();
  auto* splits = info ? info->find("splits") : nullptr;
  if (!splits || !splits->is<List>()) fail_in_file(path, "it names no splits");
  TfdsInfo out{.name = text_or(*info, "name", ""),
               .file_format = text_or(*info, "fileFormat", "tfrecord")};
  for (const Value& value : splits->as<List>()) {
    auto* split = value.get_if<Dict>();
    if (!split) fail_in_file(path, "a split is no object");
    SplitInfo each{.name = text_or(*split, "name", ""), .shards = {}};
    if (auto* lengths = split->find("shardLengths"); lengths && lengths->is<List>()) {
      for (const Value& n : lengths->as<List>()) each.shards.push_back(whole_number(n, path));
    }
    out.templates.push_back(
        text_or(*split, "filepathTemplate", "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"));
    out.splits.push_back(std::move(each));
  }
  return out;
}

RecordsPtr open_tfds(const std::string& folder, const std::string& split,
                     const std::vector<std::string>& features) {
  const TfdsInfo info = read_tfds_info(folder);
  const std::string path = (fs::path(folder) / "features.json").string();
  Value json = read_json(path);
  auto chosen = std::make_shared<TfdsFeature>();
  if (features.empty()) {
    *chosen = parse_tfds_features(json, path);
  } else {
    // Only those are looked at: the others may be of any class.
    chosen->kind = TfdsFeature::Kind::dict;
    auto* whole = json.get_if<Dict>();
    auto* inner = whole ? whole->find("featuresDict") : nullptr;
    auto* all = inner && inner->is<Dict>() ? inner->as<Dict>().find("features") : nullptr;
    for (const std::string& name : features) {
      auto* feature = all && all->is<Dict>() ? all->as<Dict>().find(name) : nullptr;
      if (!feature) throw Error(ErrorKind::key, path + ": there is no feature '" + name + "'");
      chosen->children[name] = parse_tfds_features(*feature, path + ": " + name);
    }
  }
  const auto ranges = [&] {
    try {
      return split_ranges(split, info.splits);
    } catch (const Error& e) {
      throw in_place(folder, e);
    }
  }();
  std::vector<RecordsPtr> splits(info.splits.size());
  for (const SplitRange& range : ranges) {
    if (!splits[range.split]) {
      splits[range.split] = std::make_shared<TfdsSplit>(folder, info, range.split, chosen);
    }
  }
  return joined_ranges(std::move(splits), ranges);
}

std::optional<std::string> find_tfds(const std::string& data_dir, const std::string& name) {
  std::error_code ignored;
  if (fs::exists(fs::path(data_dir) / "dataset_info.json", ignored)) return data_dir;
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string wanted = colon < name.size() ? name.substr(colon + 1) : "";
  const fs::path below = fs::path(data_dir) / name.substr(0, colon);
  std::optional<std::pair<std::vector<int>, std::string>> newest;
  for (const auto& entry : fs::directory_iterator(below, ignored)) {
    const std::string file = entry.path().filename().string();
    const auto version = version_of(file);
    if (!version || !fits(file, wanted)) continue;
    if (!fs::exists(entry.path() / "dataset_info.json", ignored)) continue;
    if (!newest || newest->first < *version) newest.emplace(*version, entry.path().string());
  }
  if (!newest) return {};
  return newest->second;
}

}  // namespace kd::data
