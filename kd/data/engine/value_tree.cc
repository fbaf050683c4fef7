// Plain values as trees.
#include "kd/data/engine/value_tree.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>

#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/sequence.h"

namespace kd::data {

using konfig::Dict;
using konfig::Sequence;
using konfig::Value;

namespace {

// A rectangle of numbers: its shape and element type.
struct Block {
  std::vector<std::int64_t> shape;
  at::ScalarType dtype = at::kBool;
  std::vector<const Value*> numbers;
  bool fits = true;
};

void collect(const Value& value, std::size_t depth, Block& block) {
  if (auto* items = konfig::as_sequence(value)) {
    const auto n = static_cast<std::int64_t>(items->size());
    if (block.numbers.empty() && block.shape.size() == depth) block.shape.push_back(n);
    block.fits = block.fits && depth < block.shape.size() && block.shape[depth] == n;
    for (const Value& item : *items) {
      if (block.fits) collect(item, depth + 1, block);
    }
    return;
  }
  if (value.is<double>()) {
    block.dtype = at::kDouble;
  } else if (value.is<std::int64_t>()) {
    if (block.dtype == at::kBool) block.dtype = at::kLong;
  } else if (!value.is<bool>()) {
    block.fits = false;
  }
  block.fits = block.fits && depth == block.shape.size();
  block.numbers.push_back(&value);
}

double number(const Value& value) {
  if (auto* flag = value.get_if<bool>()) return *flag;
  if (auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
  return value.as<double>();
}

std::int64_t whole_number(const Value& value) {
  if (auto* flag = value.get_if<bool>()) return *flag;
  return value.as<std::int64_t>();
}

Tensor to_tensor(const Block& block) {
  Tensor out = at::empty(block.shape, block.dtype);
  for (std::size_t i = 0; i < block.numbers.size(); ++i) {
    const Value& value = *block.numbers[i];
    if (block.dtype == at::kDouble) {
      out.mutable_data_ptr<double>()[i] = number(value);
    } else if (block.dtype == at::kLong) {
      out.mutable_data_ptr<std::int64_t>()[i] = whole_number(value);
    } else {
      out.mutable_data_ptr<bool>()[i] = value.as<bool>();
    }
  }
  return out;
}

Tree from_list(const Sequence& items, const Value& value) {
  const bool texts = items.size() > 0 && std::all_of(items.begin(), items.end(), [](auto& item) {
                       return item.template is<std::string>();
                     });
  if (texts) {
    Tree::Texts out;
    for (const Value& item : items) out.push_back(item.as<std::string>());
    return Tree(std::move(out));
  }
  Block block;
  collect(value, 0, block);
  if (block.fits) {
    if (block.numbers.empty()) block.dtype = at::kDouble;  // as numpy's empty array
    return to_tensor(block);
  }
  std::vector<Tree> out;
  for (const Value& item : items) out.push_back(tree_of(item));
  return Tree::list(std::move(out));
}

}  // namespace

Tree tree_of(const Value& value) {
  if (value.is_none()) return {};
  if (auto* text = value.get_if<std::string>()) return Tree(Tree::Texts{*text});
  if (auto* items = konfig::as_sequence(value)) return from_list(*items, value);
  if (auto* dict = value.get_if<Dict>()) {
    Tree out = Tree::dict();
    for (auto& [key, item] : *dict) {
      auto* name = key.get_if<std::string>();
      if (!name) throw Error(ErrorKind::type, "the name of an element is text, not " + key.repr());
      out[*name] = tree_of(item);
    }
    return out;
  }
  if (value.is<bool>() || value.is<std::int64_t>() || value.is<double>()) {
    Block block;
    collect(value, 0, block);
    return to_tensor(block);
  }
  throw Error(ErrorKind::type,
              "data is made of numbers, texts, lists and dicts, not of " + value.repr());
}

}  // namespace kd::data
