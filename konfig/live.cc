#include "konfig/live.h"

namespace konfig::detail {

namespace {

template <class T>
struct Live {
  std::vector<std::weak_ptr<T>> items;
  std::size_t limit = 64;

  void add(const std::shared_ptr<T>& item) {
    if (items.size() >= limit) {
      std::erase_if(items, [](auto& old) { return old.expired(); });
      limit = 2 * items.size() + 64;
    }
    items.push_back(item);
  }
};

thread_local Live<ConfigState> configs;
thread_local Live<Spec> nodes;

}  // namespace

void add_live_config(const std::shared_ptr<ConfigState>& config) { configs.add(config); }
void add_live_node(const std::shared_ptr<Spec>& node) { nodes.add(node); }

std::optional<Place> find_in_live_nodes(const Type& type, const void* goal) {
  for (auto& weak : nodes.items) {
    auto node = weak.lock();
    if (!node) continue;
    if (auto place = find_address(*node->type, node->value.get(), type, goal)) {
      if (!place->owner) place->owner = node;
      return place;
    }
  }
  return std::nullopt;
}

std::optional<OverlayPlace> find_overlay(const Type& type, const void* goal) {
  auto in_owner = [](Place& place) {
    return OverlayPlace{&place.owner->overlay, std::move(place.rel), place.owner};
  };
  for (auto& weak : configs.items) {
    auto config = weak.lock();
    if (!config) continue;
    if (auto place = find_address(*config->type, config->root, type, goal)) {
      if (place->owner) return in_owner(*place);
      return OverlayPlace{&config->overlay, std::move(place->rel), config};
    }
  }
  if (auto place = find_in_live_nodes(type, goal)) return in_owner(*place);
  return std::nullopt;
}

}  // namespace konfig::detail
