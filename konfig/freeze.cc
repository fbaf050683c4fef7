#include "konfig/freeze.h"

#include "konfig/node.h"

namespace konfig {

namespace {

Value changeable(const Value& value, int& depth);

std::vector<Value> changeable_items(const Sequence& items, int& depth) {
  std::vector<Value> out;
  for (const Value& item : items) out.push_back(changeable(item, depth));
  return out;
}

Value changeable(const Value& value, int& depth) {
  detail::DepthGuard guard(depth);
  if (auto* list = value.get_if<List>()) return List(changeable_items(*list, depth));
  if (auto* tuple = value.get_if<Tuple>()) return Tuple(changeable_items(*tuple, depth));
  auto* dict = value.get_if<Dict>();
  if (!dict) return value;
  Dict out;
  for (auto& [key, item] : *dict) out.set(key, changeable(item, depth));
  return out;
}

}  // namespace

Value unfreeze(const Value& value) {
  int depth = 0;
  return changeable(value, depth);
}

}  // namespace konfig
