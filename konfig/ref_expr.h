// The expression behind a Ref<T>: fields by path, constants, operators and functions. `build` turns
// it into a dynamic Reference on a lowered config.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "konfig/overlay.h"
#include "konfig/reference.h"

namespace konfig::detail {

// What a reference needs while its config is lowered.
struct RefScope {
  ConfigDict root;
  // Where the config or node with this id stands below the root; an Error when it is no part of it.
  std::function<Path(std::uint64_t id)> locate;
};

struct RefExpr {
  virtual ~RefExpr() = default;
  virtual Value build(const RefScope& scope) const = 0;
  // False when it names a field of another config.
  virtual bool belongs_to(std::uint64_t config) const = 0;
};

using RefExprPtr = std::shared_ptr<const RefExpr>;

RefExprPtr field_ref(std::uint64_t config, Path path);
RefExprPtr node_ref(std::uint64_t node, Path rel);  // a field of a node not yet placed
RefExprPtr constant_ref(Value value);
RefExprPtr binary_ref(Op op, RefExprPtr left, RefExprPtr right);
RefExprPtr function_ref(RefFunction function, std::vector<RefExprPtr> args, std::string name);

}  // namespace konfig::detail
