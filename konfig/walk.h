// Walking typed values through their run-time tables.
#pragma once

#include <functional>
#include <optional>

#include "konfig/overlay.h"
#include "konfig/type.h"

namespace konfig::detail {

// One part of a value. Without a step it stands at the path of its parent: the inside of an
// optional, of a variant or of a Poly, or a field whose children are open.
struct Child {
  const Type* type;
  void* ptr;
  const Step* step = nullptr;
  const Field* field = nullptr;          // records
  std::shared_ptr<Spec> spec = nullptr;  // the content of a Poly: a node of its own
};

// Visits the direct parts in order until `visit` returns true; true if it did.
bool each_child(const Type& type, void* p, const std::function<bool(const Child&)>& visit);

// Where a value stands in a tree of typed values.
struct Place {
  Path path;                    // from the root
  std::shared_ptr<Spec> owner;  // the innermost node above it; nullptr: the root
  Path rel;                     // from the owner
  const Type* type = nullptr;
  void* ptr = nullptr;
};

// Finds the value of `type` at address `goal`.
std::optional<Place> find_address(const Type& root, void* p, const Type& type, const void* goal);
// Finds the node with this id (see Spec::ids).
std::optional<Place> find_node(const Type& root, void* p, std::uint64_t id);
// Finds the open dictionary that is `goal` or contains it; the path leads to `goal`.
std::optional<Place> find_dict(const Type& root, void* p, const ConfigDict& goal);

}  // namespace konfig::detail
