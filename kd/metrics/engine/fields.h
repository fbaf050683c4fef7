// The fields of a metric's state: each says how it merges with that of another batch.
//
//   struct RangeState {
//     MinField lowest;
//     MaxField highest;
//     ConcatField<> all;        // one batch after another
//     StaticField<int> bins;    // must be the same everywhere
//     AverageState mean;        // a state within a state
//   };
//
// A field holds a tensor, a tree of tensors or None. A new one is empty and merges with anything;
// None merges only with None, a tree with one of the same structure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kd/core/tree.h"
#include "konfig/error.h"

namespace kd::metrics {

class Field {
 public:
  Field() = default;
  Field(Tree value) : value_(std::move(value)), empty_(false) {}
  Field(Tensor value) : Field(Tree(std::move(value))) {}
  Field(std::optional<Tensor> value) : Field(value ? Tree(std::move(*value)) : Tree()) {}
  Field(double value);  // a float32 scalar

  bool empty() const { return empty_; }
  const Tree& tree() const { return value_; }  // None when empty
  const Tensor& tensor() const { return value_.tensor(); }
  void finalize();                // leaves the graph of gradients and the device
  void assign(const Tree& tree);  // the value of another one, as `tree` gave it

 protected:
  using Reduce = Tensor (*)(const Tensor&, const Tensor&);
  void merge(const Field& other, Reduce reduce);

 private:
  Tree value_;
  bool empty_ = true;
};

// a + b
struct SumField : Field {
  using Field::Field;
  void merge(const SumField& other);
};
// The smaller and the larger of each pair of elements; NaN wins.
struct MinField : Field {
  using Field::Field;
  void merge(const MinField& other);
};
struct MaxField : Field {
  using Field::Field;
  void merge(const MaxField& other);
};

// What ConcatField and TruncateField share: the batches in order, put together by `finalize`.
class PartsField {
 public:
  bool empty() const { return parts_.empty(); }
  // All parts as one.
  Tree tree() const;
  Tensor tensor() const { return tree().tensor(); }
  std::optional<std::int64_t> num() const { return num_; }
  void merge(const PartsField& other);
  void finalize();
  void assign(const Tree& tree);  // all parts of another one, as `tree` gave them

 protected:
  explicit PartsField(int axis) : axis_(axis) {}
  PartsField(int axis, Tree value, std::optional<std::int64_t> num);

 private:
  bool is_full() const;

  int axis_;
  std::optional<std::int64_t> num_;  // how many are kept along the axis; none: all
  std::vector<Tree> parts_;
};

// One after another along an axis. A scalar counts as a vector of one element.
template <int Axis = 0>
struct ConcatField : PartsField {
  ConcatField() : PartsField(Axis) {}
  ConcatField(Tree value) : PartsField(Axis, std::move(value), std::nullopt) {}
  ConcatField(Tensor value) : ConcatField(Tree(std::move(value))) {}
  ConcatField(std::optional<Tensor> value) : ConcatField(value ? Tree(*value) : Tree()) {}
};

// The first `num` along an axis, in the order of merging: `TruncateField<>(images, 5)`.
template <int Axis = 0>
struct TruncateField : PartsField {
  TruncateField() : PartsField(Axis) {}
  TruncateField(Tree value, std::optional<std::int64_t> num)
      : PartsField(Axis, std::move(value), num) {}
};

// Not data: the same in all states that are merged.
template <class T>
class StaticField {
 public:
  StaticField() = default;
  StaticField(T value) : value_(std::move(value)) {}

  bool empty() const { return !value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  void merge(const StaticField& other) {
    if (!value_) value_ = other.value_;
    if (other.value_ && !(*value_ == *other.value_)) {
      throw konfig::Error(konfig::ErrorKind::value,
                          "states are merged only when this value is the same in both");
    }
  }
  void finalize() {}

 private:
  std::optional<T> value_;
};

}  // namespace kd::metrics
