// The typed configs and shared nodes alive in this thread. A field is found by its address, also
// before its node was placed in a config, and `keep(cfg.field)` needs no config.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "konfig/overlay.h"
#include "konfig/walk.h"

namespace konfig::detail {

// The part of a Config<T> that does not depend on T.
struct ConfigState {
  const Type* type = nullptr;
  void* root = nullptr;  // the T
  Overlay overlay = {};
  std::uint64_t id = 0;
  std::vector<std::uint64_t> ancestors = {};  // configs it was copied from
};

void add_live_config(const std::shared_ptr<ConfigState>& config);
void add_live_node(const std::shared_ptr<Spec>& node);

// Among the shared nodes: `owner` is set.
std::optional<Place> find_in_live_nodes(const Type& type, const void* goal);
// Among configs and nodes; the overlay that the field belongs to, and its path there.
struct OverlayPlace {
  Overlay* overlay;
  Path rel;
  std::shared_ptr<void> holder;  // keeps the overlay alive
};
std::optional<OverlayPlace> find_overlay(const Type& type, const void* goal);

}  // namespace konfig::detail
