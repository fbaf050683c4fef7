#include "konfig/copy_scope.h"

#include "konfig/walk.h"

namespace konfig::detail {

namespace {

thread_local CopyScope* current_scope = nullptr;

ConfigDict copy_dict(const ConfigDict& dict) {
  auto* scope = CopyScope::current();
  if (!scope) return dict.copy();
  for (auto& [from, to] : scope->dicts) {
    if (from.same(dict)) return to;
  }
  scope->dicts.emplace_back(dict, dict.copy());
  return scope->dicts.back().second;
}

std::vector<Value> deep_copies(const Sequence& items) {
  std::vector<Value> out;
  for (const Value& item : items) out.push_back(deep_copy(item));
  return out;
}

bool may_hold_dict(const Type& type) {
  switch (type.kind) {
    case Kind::none:
    case Kind::boolean:
    case Kind::integer:
    case Kind::floating:
    case Kind::text:
    case Kind::enumeration:
    case Kind::duration:
    case Kind::bits:
    case Kind::callable:
    case Kind::poly:
      return false;
    case Kind::list:
    case Kind::array:
    case Kind::args:
      return may_hold_dict(type.element());
    default:
      return true;
  }
}

}  // namespace

CopyScope::CopyScope() : outer_(current_scope) { current_scope = this; }
CopyScope::~CopyScope() { current_scope = outer_; }
CopyScope* CopyScope::current() { return current_scope; }

std::shared_ptr<Spec> clone_spec(const Spec& spec) {
  auto copy = std::make_shared<Spec>(spec);
  copy->value = clone_object(*spec.type, spec.value.get());
  own_dicts(*spec.type, copy->value.get());
  return copy;
}

std::shared_ptr<Spec> copy_spec(const std::shared_ptr<Spec>& spec) {
  if (!spec || spec->sharing == Sharing::frozen) return spec;
  auto* scope = CopyScope::current();
  if (!scope) return spec->sharing == Sharing::shared ? spec : clone_spec(*spec);
  if (auto it = scope->specs.find(spec.get()); it != scope->specs.end()) return it->second;
  auto copy = clone_spec(*spec);
  scope->specs[spec.get()] = copy;
  return copy;
}

Value deep_copy(const Value& value) {
  if (auto* dict = value.get_if<ConfigDict>()) return copy_dict(*dict);
  if (auto* list = value.get_if<List>()) return List(deep_copies(*list));
  if (auto* tuple = value.get_if<Tuple>()) return Tuple(deep_copies(*tuple));
  if (auto* set = value.get_if<Set>()) return Set(deep_copies(*set), set->frozen);
  if (auto* dict = value.get_if<Dict>()) {
    Dict out;
    for (auto& [key, item] : *dict) out.set(key, deep_copy(item));
    out.frozen = dict->frozen;
    return out;
  }
  return value;
}

void own_dicts(const Type& type, void* p) {
  if (!may_hold_dict(type)) return;
  if (type.kind == Kind::dict) {
    auto& dict = *static_cast<ConfigDict*>(p);
    dict = copy_dict(dict);
  } else if (type.kind == Kind::any) {
    auto& value = *static_cast<Value*>(p);
    value = deep_copy(value);
  } else {
    each_child(type, p, [](const Child& child) {
      own_dicts(*child.type, child.ptr);
      return false;
    });
  }
}

}  // namespace konfig::detail
