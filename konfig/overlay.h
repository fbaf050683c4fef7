// What a typed node knows beyond its field values: which fields follow a reference, which are
// written although they hold their default. It belongs to the node and is copied, moved and
// dropped with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "konfig/value.h"

namespace konfig::detail {

using Step = std::variant<std::string, std::size_t>;  // a key, or a position in a list
using Path = std::vector<Step>;
std::string to_text(const Path& path);  // "evals.eval.sizes[0]"
bool starts_with(const Path& path, const Path& head);

struct RefExpr;  // konfig/ref.h

struct Binding {
  Path path;  // relative to the node
  std::shared_ptr<const RefExpr> value;
  Value covered;  // the field's value when it was bound: another one means a later assignment
};

struct Overlay {
  std::vector<Binding> bindings;
  std::vector<Path> kept;
  bool empty() const { return bindings.empty() && kept.empty(); }
  void bind(Binding binding);  // replaces the binding of the same path
};

enum class Sharing {
  owned,   // copied with its holder, like any value
  shared,  // made by node(): copies are the same node
  frozen,  // an object made by resolve: copies share it, a writer gets a copy of its own
};

struct Spec {
  const Type* type;
  std::shared_ptr<void> value;
  Overlay overlay = {};
  Sharing sharing = Sharing::owned;
  // What references to fields of this node call it: its own id, and those of the configs it was
  // written as (a Config<T> assigned to a Poly).
  std::vector<std::uint64_t> ids = {};
};

std::uint64_t next_id();  // of a config or a node, unique in the process

}  // namespace konfig::detail
