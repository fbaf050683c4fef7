// How the fields of states merge.
#include "kd/metrics/engine/fields.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

#include "base/shape_text.h"
#include "kd/core/ops.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

Tree on_host(const Tree& tree) {
  return map(tree, [](const Tensor& t) { return t.detach().cpu(); });
}

std::string spoken(const Tree& tree) {
  return tree.is_none() ? "None" : tree.is_tensor() ? "a tensor" : std::string(tree.type());
}

[[noreturn]] void fail_none(const Tree& a, const Tree& b) {
  throw Error(ErrorKind::value, "cannot merge " + spoken(a) + " with " + spoken(b) +
                                    "; give the value in every batch, or in none");
}

Tensor checked(const Tensor& a, const Tensor& b, Tensor (*reduce)(const Tensor&, const Tensor&)) {
  if (a.sizes() != b.sizes()) {
    throw Error(ErrorKind::value, "cannot merge shape " + base::shape_text(a.sizes()) +
                                      " with shape " + base::shape_text(b.sizes()) +
                                      "; the shape must be that of every batch");
  }
  return reduce(a, b);
}

}  // namespace

// ---- Element by element.

Field::Field(double value) : Field(at::full({}, value, at::kFloat)) {}

void Field::finalize() { value_ = on_host(value_); }

void Field::assign(const Tree& tree) {
  value_ = tree;
  empty_ = empty_ && tree.is_none();
}

void Field::merge(const Field& other, Reduce reduce) {
  if (other.empty_) return;
  if (empty_) {
    *this = other;
    return;
  }
  if (value_.is_none() && other.value_.is_none()) return;
  if (value_.is_none() || other.value_.is_none()) fail_none(value_, other.value_);
  auto merged = [&](const Tensor& a, const Tensor& b) { return checked(a, b, reduce); };
  value_ = zip_map(value_, other.value_, merged, {"the first state's", "the second's"});
}

void SumField::merge(const SumField& other) {
  Field::merge(other, [](const Tensor& a, const Tensor& b) { return a + b; });
}
void MinField::merge(const MinField& other) {
  Field::merge(other, [](const Tensor& a, const Tensor& b) { return at::minimum(a, b); });
}
void MaxField::merge(const MaxField& other) {
  Field::merge(other, [](const Tensor& a, const Tensor& b) { return at::maximum(a, b); });
}

// ---- One after another.

namespace {

std::int64_t normal_axis(const Tensor& tensor, int axis) {
  std::int64_t out = axis < 0 ? axis + tensor.dim() : axis;
  if (out < 0 || out >= tensor.dim()) {
    throw Error(ErrorKind::value, "axis " + std::to_string(axis) + " of a tensor of shape " +
                                      base::shape_text(tensor.sizes()) + " does not exist");
  }
  return out;
}

// Elements along the axis; the first leaf of a tree speaks for all.
std::int64_t length(const Tree& tree, int axis) {
  if (tree.is_none()) return 0;
  if (tree.kind() == Tree::Kind::texts) return static_cast<std::int64_t>(tree.texts().size());
  auto tensors = leaves(tree);
  return tensors.empty() ? 0 : tensors[0].size(normal_axis(tensors[0], axis));
}

Tensor cat(const std::vector<Tensor>& tensors, int axis) {
  std::int64_t dim = normal_axis(tensors[0], axis);
  for (const Tensor& t : tensors) {
    bool fits = t.dim() == tensors[0].dim();
    for (std::int64_t d = 0; fits && d < t.dim(); ++d) {
      fits = d == dim || t.size(d) == tensors[0].size(d);
    }
    if (!fits) {
      throw Error(ErrorKind::value, "cannot put shape " + base::shape_text(t.sizes()) +
                                        " behind shape " + base::shape_text(tensors[0].sizes()) +
                                        " along axis " + std::to_string(axis));
    }
  }
  return tensors.size() == 1 ? tensors[0] : at::cat(tensors, dim);
}

// Trees of one structure, leaf by leaf.
Tree join(const std::vector<Tree>& parts, int axis) {
  if (parts[0].kind() == Tree::Kind::texts) {
    Tree::Texts all;
    for (const Tree& part : parts) {
      all.insert(all.end(), part.texts().begin(), part.texts().end());
    }
    return Tree(std::move(all));
  }
  std::vector<std::vector<Tensor>> columns;
  for (const Tree& part : parts) {
    check_same_structure(parts[0], part, {"the first state's", "a later one's"});
    auto row = leaves(part);
    columns.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  std::vector<Tensor> joined;
  for (auto& column : columns) joined.push_back(cat(column, axis));
  return unflatten(parts[0], joined);
}

Tree first(const Tree& tree, int axis, std::int64_t num) {
  if (tree.kind() == Tree::Kind::texts) {
    Tree::Texts texts = tree.texts();
    if (static_cast<std::int64_t>(texts.size()) > num) texts.resize(static_cast<std::size_t>(num));
    return Tree(std::move(texts));
  }
  return map(tree, [&](const Tensor& t) {
    std::int64_t dim = normal_axis(t, axis);
    if (t.size(dim) <= num) return t;
    return t.narrow(dim, 0, num).clone();  // lets go of the rest
  });
}

}  // namespace

PartsField::PartsField(int axis, Tree value, std::optional<std::int64_t> num)
    : axis_(axis), num_(num) {
  if (num && *num < 0) {
    throw Error(ErrorKind::value, "the number of elements to keep is " + std::to_string(*num) +
                                      "; it must be 0 or more");
  }
  Tree part = map(on_host(value), [](const Tensor& t) { return t.dim() ? t : t.view({1}); });
  parts_.push_back(num ? first(part, axis, *num) : part);
}

bool PartsField::is_full() const {
  if (!num_) return false;
  std::int64_t have = 0;
  for (const Tree& part : parts_) have += length(part, axis_);
  return have >= *num_;
}

void PartsField::merge(const PartsField& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  if (num_ != other.num_) {
    throw Error(ErrorKind::value, "states that keep different numbers of elements are not merged");
  }
  const Tree &mine = parts_[0], &theirs = other.parts_[0];
  if (mine.is_none() != theirs.is_none()) fail_none(mine, theirs);
  if (mine.is_none() || is_full()) return;
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
}

Tree PartsField::tree() const {
  if (empty() || parts_[0].is_none()) return Tree();
  Tree all = join(parts_, axis_);
  return num_ ? first(all, axis_, *num_) : all;
}

void PartsField::finalize() {
  if (!empty()) parts_ = {tree()};
}

void PartsField::assign(const Tree& tree) {
  if (!empty() || !tree.is_none()) parts_ = {tree};
}

}  // namespace kd::metrics
