// Sources of TensorFlow's formats.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "kd/data/engine/records.h"
#include "kd/data/engine/tfds_folder.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources.h"
#include "kd/io/errors.h"
#include "kd/io/example.h"
#include "kd/io/image.h"
#include "kd/io/tfrecord.h"

namespace kd::data {

namespace {

using Texts = std::vector<std::string_view>;

template <class T>
Tensor vector_of(const std::vector<T>& values, at::ScalarType dtype) {
  Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, dtype);
  if (!values.empty()) std::memcpy(out.mutable_data_ptr(), values.data(), out.nbytes());
  return out;
}

class ExampleRecords final : public Records {
 public:
  explicit ExampleRecords(const TfRecord& source) : source_(source) {
    if (source.paths.empty()) throw Error(ErrorKind::required, "paths: at least one is needed");
    for (const std::string& path : source.paths) {
      files_.push_back(map_file(path));
      spans_.push_back(index_tfrecords(files_.back()));
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) +
                      static_cast<std::int64_t>(spans_.back().size()));
    }
    if (ends_.back() == 0) fail_in_file(files_.back().path, 0, "the file is empty");
  }
  std::int64_t size() const override { return ends_.back(); }
  Tree read(std::int64_t i) const override { return record(i, "", nullptr); }
  Tree read_part(std::int64_t i, const std::string& element,
                 const ChooseBox& choose) const override {
    if (!source_.images.contains(element)) return Records::read_part(i, element, choose);
    return record(i, element, choose);
  }

 private:
  // Of the element `cut`, a picture, only a part.
  Tree record(std::int64_t i, const std::string& cut, const ChooseBox& choose) const {
    const auto file = static_cast<std::size_t>(std::ranges::upper_bound(ends_, i) - ends_.begin());
    const auto place = static_cast<std::size_t>(i - (file > 0 ? ends_[file - 1] : 0));
    const TfRecordSpan& span = spans_[file][place];
    const std::string name = files_[file].path + ": record " + std::to_string(place) + " at byte " +
                             std::to_string(span.offset);
    const Example example = parse_example(tfrecord_at(files_[file], span), name);
    Tree out = Tree::dict();
    if (source_.features.empty()) {
      for (auto& [key, values] : example) {
        out[key] = element_of(key, values, name, key == cut ? choose : nullptr);
      }
    }
    for (const std::string& key : source_.features) {
      auto found = example.find(key);
      if (found == example.end()) {
        throw Error(ErrorKind::key, name + ": the example has no '" + key + "'");
      }
      out[key] = element_of(key, found->second, name, key == cut ? choose : nullptr);
    }
    return out;
  }

  Tree element_of(const std::string& key, const ExampleValues& values, const std::string& name,
                  const ChooseBox& choose) const {
    if (auto* floats = std::get_if<std::vector<float>>(&values))
      return vector_of(*floats, at::kFloat);
    if (auto* numbers = std::get_if<std::vector<std::int64_t>>(&values)) {
      return vector_of(*numbers, at::kLong);
    }
    const Texts& texts = std::get<Texts>(values);
    const int* channels = source_.images.find(key);
    if (!channels) return Tree(Tree::Texts(texts.begin(), texts.end()));
    if (texts.size() != 1) {
      throw Error(ErrorKind::value, name + ": " + key + ": one picture was expected");
    }
    if (choose) return decode_image_part(texts[0], *channels, name + ": " + key, choose);
    return decode_image(texts[0], *channels, name + ": " + key);
  }

  TfRecord source_;
  std::vector<Bytes> files_;
  std::vector<std::vector<TfRecordSpan>> spans_;
  std::vector<std::int64_t> ends_;
};

}  // namespace

RecordsPtr TfRecord::open() const { return std::make_shared<ExampleRecords>(*this); }

RecordsPtr TfdsFolder::open() const { return open_tfds(*path, *split, features); }

}  // namespace kd::data
