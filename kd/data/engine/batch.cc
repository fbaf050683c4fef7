// Stacking and padding.
#include "kd/data/engine/batch.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kd/data/engine/buffers.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

namespace {

using Kind = Tree::Kind;
using Parts = std::vector<const Tree*>;

std::string kind_text(const Tree& tree) {
  return tree.is_tensor() ? spec_text(tree.tensor()) : std::string(tree.type());
}

[[noreturn]] void fail_differ(const std::string& path, std::size_t i, const std::string& first,
                              const std::string& other, const char* fix) {
  throw Error(ErrorKind::value, (path.empty() ? "" : path + ": ") +
                                    "records of a batch are alike, but number 0 has " + first +
                                    " and number " + std::to_string(i) + " has " + other + "; " +
                                    fix);
}

constexpr const char* kShapeFix = "resize or crop to one shape, or set batch_size to None";
constexpr const char* kKindFix = "make them alike with a transform, or set batch_size to None";

Tensor stack_tensors(const Parts& parts, const std::string& path) {
  const Tensor& first = parts[0]->tensor();
  c10::ScalarType dtype = first.scalar_type();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Tensor& tensor = parts[i]->tensor();
    if (tensor.sizes() != first.sizes()) {
      fail_differ(path, i, spec_text(first), spec_text(tensor), kShapeFix);
    }
    if (tensor.scalar_type() != dtype) dtype = c10::promoteTypes(dtype, tensor.scalar_type());
  }
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(parts.size())};
  shape.insert(shape.end(), first.sizes().begin(), first.sizes().end());
  Tensor out = new_buffer(shape, dtype);
  const auto bytes = static_cast<std::size_t>(first.numel()) * c10::elementSize(dtype);
  auto* to = static_cast<std::byte*>(out.mutable_data_ptr());
  for (std::size_t i = 0; i < parts.size(); ++i, to += bytes) {
    const Tensor& tensor = parts[i]->tensor();
    if (tensor.scalar_type() == dtype && tensor.is_contiguous()) {
      if (bytes > 0) std::memcpy(to, tensor.const_data_ptr(), bytes);
    } else {
      out.select(0, static_cast<std::int64_t>(i)).copy_(tensor);
    }
  }
  return out;
}

Tree stack_texts(const Parts& parts) {
  const bool single = std::all_of(parts.begin(), parts.end(),
                                  [](const Tree* part) { return part->texts().size() == 1; });
  if (!single) {
    std::vector<Tree> out;
    for (const Tree* part : parts) out.push_back(*part);
    return Tree::list(std::move(out));
  }
  Tree::Texts texts;
  texts.reserve(parts.size());
  for (const Tree* part : parts) texts.push_back(part->texts()[0]);
  return Tree(std::move(texts));
}

Tree stack_parts(const Parts& parts, const std::string& path) {
  const Tree& first = *parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i]->kind() != first.kind() || parts[i]->size() != first.size()) {
      fail_differ(path, i, kind_text(first), kind_text(*parts[i]), kKindFix);
    }
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first.name(k) != parts[i]->name(k)) {
        fail_differ(path, i, "'" + first.name(k) + "'", "'" + parts[i]->name(k) + "'", kKindFix);
      }
    }
  }
  if (first.is_tensor()) return stack_tensors(parts, path);
  if (first.kind() == Kind::texts) return stack_texts(parts);
  Tree out = first;
  Parts inner(parts.size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    for (std::size_t i = 0; i < parts.size(); ++i) inner[i] = &parts[i]->child(k);
    const std::string step = first.has_names() ? first.name(k) : "[" + std::to_string(k) + "]";
    out.child(k) = stack_parts(inner, konfig::join_path(path, step));
  }
  return out;
}

}  // namespace

Tree stack(std::span<const Tree> records) {
  if (records.empty()) throw Error(ErrorKind::value, "a batch has at least one record");
  Parts parts;
  parts.reserve(records.size());
  for (const Tree& record : records) parts.push_back(&record);
  return stack_parts(parts, "");
}

Tree pad_rows(const Tree& batch, std::int64_t n) {
  if (batch.is_tensor()) {
    const Tensor& rows = batch.tensor();
    std::vector<std::int64_t> shape(rows.sizes().begin(), rows.sizes().end());
    const std::int64_t given = shape.at(0);
    shape[0] = n;
    Tensor out = new_buffer(shape, rows.scalar_type());
    out.narrow(0, 0, given).copy_(rows);
    out.narrow(0, given, n - given).zero_();
    return out;
  }
  if (batch.kind() == Kind::texts) {
    Tree::Texts texts = batch.texts();
    texts.resize(static_cast<std::size_t>(n));
    return Tree(std::move(texts));
  }
  Tree out = batch;
  for (std::size_t i = 0; i < out.size(); ++i) out.child(i) = pad_rows(batch.child(i), n);
  return out;
}

}  // namespace kd::data
