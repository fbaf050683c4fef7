// Sources of JSON.
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/data/engine/value_tree.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources.h"
#include "kd/io/errors.h"
#include "kd/io/file.h"
#include "konfig/json.h"

namespace kd::data {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

Tree record_of(const Value& value, const std::string& place) {
  if (!value.is<Dict>()) {
    throw Error(ErrorKind::type, place + ": a record is an object, not " + value.repr());
  }
  try {
    return tree_of(value);
  } catch (const Error& e) {
    throw in_place(place, e);
  }
}

class LineRecords final : public Records {
 public:
  explicit LineRecords(Bytes bytes) : bytes_(std::move(bytes)) {
    constexpr std::string_view kSpaces = " \t\r\n";
    if (bytes_.data.empty()) fail_in_file(bytes_.path, 0, "the file is empty");
    for (std::size_t at = 0; at < bytes_.data.size();) {
      const std::size_t end = std::min(bytes_.data.find('\n', at), bytes_.data.size());
      const std::string_view line = bytes_.data.substr(at, end - at);
      if (line.find_first_not_of(kSpaces) != line.npos) lines_.emplace_back(at, end - at);
      at = end + 1;
    }
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(lines_.size()); }
  Tree read(std::int64_t i) const override {
    const auto [at, length] = lines_[static_cast<std::size_t>(i)];
    const std::string place = bytes_.path + ": byte " + std::to_string(at);
    try {
      return record_of(konfig::parse_json(bytes_.data.substr(at, length)), place);
    } catch (const Error& e) {
      if (std::string_view(e.what()).starts_with(place)) throw;
      throw in_place(place, e);
    }
  }

 private:
  Bytes bytes_;
  std::vector<std::pair<std::size_t, std::size_t>> lines_;
};

class ListRecords final : public Records {
 public:
  explicit ListRecords(const std::string& path) : path_(path) {
    const Bytes bytes = map_file(path);
    try {
      value_ = konfig::parse_json(bytes.data);
    } catch (const Error& e) {
      throw in_place(path, e);
    }
    if (!value_.is<List>()) fail_in_file(path, "it holds no list of objects");
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(value_.as<List>().size()); }
  Tree read(std::int64_t i) const override {
    return record_of(value_.as<List>()[static_cast<std::size_t>(i)],
                     path_ + ": record " + std::to_string(i));
  }

 private:
  std::string path_;
  Value value_;
};

}  // namespace

RecordsPtr JsonLines::open() const {
  const Bytes packed = map_file(*path);
  constexpr std::uint64_t kMostRatio = 1033;  // of deflate
  return std::make_shared<LineRecords>(unpacked(packed, packed.size() * kMostRatio));
}

RecordsPtr JsonList::open() const { return std::make_shared<ListRecords>(*path); }

RecordsPtr py::Json::records() const { return std::make_shared<ListRecords>(*path); }

}  // namespace kd::data
