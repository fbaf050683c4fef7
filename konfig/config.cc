#include "konfig/config.h"

namespace konfig::detail {

namespace {

[[noreturn]] void fail_not_found(const Type& type) {
  throw Error(ErrorKind::key, "this " + std::string(type.name) +
                                  " is no field of the config, nor of a node made by node()");
}

// A path of the whole steps to the key of an open dictionary.
struct ItemPlace {
  Place dict;
  Path steps;  // from the dictionary's path
};
ItemPlace place_of(const ConfigState& config, const Item& item) {
  auto place = find_dict(*config.type, config.root, item.parent());
  if (!place) {
    throw Error(ErrorKind::key, "this key is in no open dictionary of the config");
  }
  Path steps;
  for (const Value& key : item.path()) {
    if (auto* index = key.get_if<std::int64_t>()) {
      steps.emplace_back(static_cast<std::size_t>(*index));
    } else {
      steps.emplace_back(key.as<std::string>());
    }
  }
  return {std::move(*place), std::move(steps)};
}

Path joined(Path head, const Path& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

void check_owner(const ConfigState& config, const RefExpr& value) {
  if (!value.belongs_to(config.id)) {
    throw Error(ErrorKind::unsupported,
                "a reference to a field of another config cannot be bound here; take it from the "
                "config it is bound in");
  }
}

}  // namespace

std::shared_ptr<ConfigState> new_config(const Type& type, void* root) {
  auto state = std::make_shared<ConfigState>();
  state->type = &type;
  state->root = root;
  state->id = next_id();
  add_live_config(state);
  return state;
}

std::shared_ptr<ConfigState> copy_config(const ConfigState& from, void* root) {
  auto state = new_config(*from.type, root);
  state->overlay = from.overlay;
  state->ancestors = from.ancestors;
  state->ancestors.push_back(from.id);
  return state;
}

std::shared_ptr<Spec> embed_config(const ConfigState& config, void* copy_of_root) {
  auto spec = make_spec(*config.type, copy_of_root);
  spec->overlay = config.overlay;
  spec->ids = config.ancestors;
  spec->ids.push_back(config.id);
  return spec;
}

RefExprPtr ref_to(const ConfigState& config, const Type& type, const void* field) {
  if (auto place = find_address(*config.type, config.root, type, field)) {
    return field_ref(config.id, std::move(place->path));
  }
  auto place = find_in_live_nodes(type, field);
  if (!place) fail_not_found(type);
  auto& ids = place->owner->ids;
  if (ids.empty()) ids.push_back(next_id());
  return node_ref(ids.front(), std::move(place->rel));
}

RefExprPtr ref_to(const ConfigState& config, const Item& item) {
  auto place = place_of(config, item);
  return field_ref(config.id, joined(std::move(place.dict.path), place.steps));
}

void bind_field(ConfigState& config, const Type& type, const void* field, RefExprPtr value) {
  check_owner(config, *value);
  auto place = find_address(*config.type, config.root, type, field);
  if (!place) place = find_in_live_nodes(type, field);
  if (!place) fail_not_found(type);
  auto& overlay = place->owner ? place->owner->overlay : config.overlay;
  overlay.bind({std::move(place->rel), std::move(value), plain_value(type, field)});
}

void bind_key(ConfigState& config, const Item& item, RefExprPtr value) {
  check_owner(config, *value);
  auto place = place_of(config, item);
  if (place.steps.size() != 1) {
    throw Error(ErrorKind::unsupported, "a list inside an open dictionary is bound as a whole");
  }
  auto& overlay = place.dict.owner ? place.dict.owner->overlay : config.overlay;
  overlay.bind({joined(std::move(place.dict.rel), place.steps), std::move(value),
                item.parent().get(item.path()[0], None())});
}

void keep_field(const Type& type, const void* field) {
  auto place = find_overlay(type, field);
  if (!place) fail_not_found(type);
  place->overlay->kept.push_back(std::move(place->rel));
}

}  // namespace konfig::detail
