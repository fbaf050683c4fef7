// Sources opened, and records in memory.
#include "kd/data/engine/records.h"

#include <ATen/ops/select.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/buffers.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

Tree Records::gather(std::span<const std::int64_t> ids) const {
  std::vector<Tree> records;
  records.reserve(ids.size());
  for (std::int64_t i : ids) records.push_back(read(i));
  return stack(records);
}

Tree with_part(Tree record, const std::string& element, const ChooseBox& choose) {
  Tree* found = record.find(element);
  // What is no image is reported by the step that wants one.
  if (found && found->is_tensor() && found->tensor().dim() == 3) {
    *found = part_of(found->tensor(), choose);
  }
  return record;
}

Tree Records::read_part(std::int64_t i, const std::string& element, const ChooseBox& choose) const {
  return with_part(read(i), element, choose);
}

RecordsPtr open(const Poly<Source>& source) { return ops_of(source).open(source.object()); }

namespace {

void count_rows(const Tree& tree, const std::string& path,
                std::vector<std::pair<std::string, std::int64_t>>& out) {
  if (tree.is_tensor()) {
    if (tree.tensor().dim() == 0) {
      throw Error(ErrorKind::value,
                  path + ": a number has no rows; the first dimension is the one of the examples");
    }
    out.emplace_back(path, tree.tensor().size(0));
  } else if (tree.kind() == Tree::Kind::texts) {
    out.emplace_back(path, static_cast<std::int64_t>(tree.texts().size()));
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    count_rows(tree.child(i), konfig::join_path(path, tree.name(i)), out);
  }
}

Tensor gather_tensor(const Tensor& from, std::span<const std::int64_t> ids) {
  std::vector<std::int64_t> shape(from.sizes().begin(), from.sizes().end());
  shape[0] = static_cast<std::int64_t>(ids.size());
  Tensor out = new_buffer(shape, from.scalar_type());
  const auto bytes = static_cast<std::size_t>(from[0].numel()) * from.element_size();
  auto* to = static_cast<std::byte*>(out.mutable_data_ptr());
  auto* rows = static_cast<const std::byte*>(from.const_data_ptr());
  for (std::int64_t id : ids) {
    std::memcpy(to, rows + static_cast<std::size_t>(id) * bytes, bytes);
    to += bytes;
  }
  return out;
}

template <class LeafFn>
Tree with_leaves(const Tree& tree, const LeafFn& fn) {
  if (tree.is_leaf()) return fn(tree);
  Tree out = tree;
  for (std::size_t i = 0; i < out.size(); ++i) out.child(i) = with_leaves(tree.child(i), fn);
  return out;
}

Tree row(const Tree& leaf, std::int64_t i) {
  if (leaf.is_tensor()) return leaf.tensor().select(0, i);
  if (leaf.kind() == Tree::Kind::texts)
    return Tree(Tree::Texts{leaf.texts()[static_cast<std::size_t>(i)]});
  return leaf;
}

class InMemory final : public Records {
 public:
  explicit InMemory(Tree examples)
      : examples_(with_leaves(examples,
                              [](const Tree& leaf) {
                                return leaf.is_tensor() ? Tree(leaf.tensor().contiguous()) : leaf;
                              })),
        size_(row_count(examples_)) {}

  std::int64_t size() const override { return size_; }
  Tree read(std::int64_t i) const override {
    return with_leaves(examples_, [i](const Tree& leaf) { return row(leaf, i); });
  }
  Tree gather(std::span<const std::int64_t> ids) const override {
    return gather_rows(examples_, ids);
  }

 private:
  Tree examples_;
  std::int64_t size_;
};

}  // namespace

RecordsPtr in_memory(Tree examples) { return std::make_shared<InMemory>(std::move(examples)); }

std::int64_t row_count(const Tree& examples) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  count_rows(examples, "", counts);
  if (counts.empty()) throw Error(ErrorKind::value, "the examples hold no element");
  for (auto& [path, count] : counts) {
    if (count != counts[0].second) {
      throw Error(ErrorKind::value, "all elements have the same number of examples, but '" +
                                        counts[0].first + "' has " +
                                        std::to_string(counts[0].second) + " and '" + path +
                                        "' has " + std::to_string(count));
    }
  }
  return counts[0].second;
}

Tree gather_rows(const Tree& examples, std::span<const std::int64_t> ids) {
  return with_leaves(examples, [&](const Tree& leaf) -> Tree {
    if (leaf.is_tensor()) return gather_tensor(leaf.tensor(), ids);
    if (leaf.kind() != Tree::Kind::texts) return leaf;
    Tree::Texts out;
    for (std::int64_t id : ids) out.push_back(leaf.texts()[static_cast<std::size_t>(id)]);
    return Tree(std::move(out));
  });
}

}  // namespace kd::data
