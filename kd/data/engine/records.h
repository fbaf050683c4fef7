// Records: an opened source. Any record, in any order, from any thread.
//
//   struct Squares {                                  // a source of one's own
//     int n = 10;
//     std::int64_t size() const { return n; }
//     Tree record(std::int64_t i) const { return Tree::dict({{"x", at::full({1}, i * i)}}); }
//   };
//   KD_COMPONENT(kd::Source, Squares);
//
//   RecordsPtr records = data::open(Poly<Source>(Squares{}));
//   Tree first = records->read(0);
//
// A source that has something to open first (a file) has `RecordsPtr open() const` instead.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>

#include "kd/core/implement.h"
#include "kd/core/tree.h"
#include "kd/data/formats.h"
#include "kd/data/sources/source.h"
#include "kd/io/image.h"

namespace kd::data {

class Records {
 public:
  virtual ~Records() = default;
  virtual std::int64_t size() const = 0;
  // A dict of tensors, texts and dicts. `i` is from 0 to size() - 1.
  virtual Tree read(std::int64_t i) const = 0;
  // A record of whose image `element` only a part is wanted; overridden where that is quicker.
  virtual Tree read_part(std::int64_t i, const std::string& element, const ChooseBox& choose) const;
  // Several records, each element stacked; overridden where that is quicker than one by one.
  virtual Tree gather(std::span<const std::int64_t> ids) const;
};
using RecordsPtr = std::shared_ptr<const Records>;

RecordsPtr open(const Poly<Source>& source);

// Cuts the part out of an element, if it is an image.
Tree with_part(Tree record, const std::string& element, const ChooseBox& choose);

// The rows of tensors (and texts) that all have the same number of them.
RecordsPtr in_memory(Tree examples);
// The number of rows; an Error names the elements that differ.
std::int64_t row_count(const Tree& examples);
// Some rows of each leaf.
Tree gather_rows(const Tree& examples, std::span<const std::int64_t> ids);

struct SourceOps {
  RecordsPtr (*open)(std::shared_ptr<const void> source);
};

namespace detail {

template <class T>
concept OpensRecords = requires(const T& source) {
  { source.open() } -> std::convertible_to<RecordsPtr>;
};

template <class T>
class OwnRecords final : public Records {
 public:
  explicit OwnRecords(std::shared_ptr<const T> source) : source_(std::move(source)) {}
  std::int64_t size() const override { return source_->size(); }
  Tree read(std::int64_t i) const override { return source_->record(i); }

 private:
  std::shared_ptr<const T> source_;
};

template <class T>
RecordsPtr open_source(std::shared_ptr<const void> source) {
  auto typed = std::static_pointer_cast<const T>(std::move(source));
  if constexpr (OpensRecords<T>) {
    return typed->open();
  } else {
    return std::make_shared<OwnRecords<T>>(std::move(typed));
  }
}

}  // namespace detail
}  // namespace kd::data

namespace kd {

template <>
struct Implement<Source> {
  using Ops = data::SourceOps;
  template <class T>
  static constexpr Ops ops = {data::detail::open_source<T>};
};

}  // namespace kd
