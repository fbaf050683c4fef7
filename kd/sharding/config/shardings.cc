// The shardings that configs name, and what a strategy may hold.
#include "kd/sharding/sharding.h"
#include "konfig/error.h"
#include "konfig/make_type.h"
#include "konfig/print.h"
#include "konfig/register.h"

namespace kd::sharding {
namespace {

using konfig::Value;

bool is_sharding(const Value& value) {
  if (value.is<konfig::SymbolName>()) return true;  // a function that gives one
  auto* object = value.get_if<konfig::Object>();
  if (!object || !object->type) return false;
  const auto name = object->type->name;  // a type may have several tables: one a library
  return name == konfig::type_of<Sharding>().name || name == konfig::type_of<FSDPSharding>().name;
}

void check_all(const std::string& field, const konfig::Sequence& items);

// A tree of shardings.
void check(const std::string& field, const Value& value) {
  if (value.is_none() || is_sharding(value)) return;
  if (auto* dict = value.get_if<konfig::Dict>()) {
    for (auto& [key, item] : *dict) check(field, item);
  } else if (auto* list = value.get_if<konfig::List>()) {
    check_all(field, *list);
  } else if (auto* tuple = value.get_if<konfig::Tuple>()) {
    check_all(field, *tuple);
  } else {
    throw konfig::Error(konfig::ErrorKind::type, field,
                        "expected kd.sharding.REPLICATED, kd.sharding.FIRST_DIM, "
                        "kd.sharding.FSDPSharding(), a tree of these, or None, got " +
                            konfig::shorten(value.repr(), 60));
  }
}

void check_all(const std::string& field, const konfig::Sequence& items) {
  for (const Value& item : items) check(field, item);
}

}  // namespace

void ShardingStrategy::konfig_post_resolve(const konfig::ConfigDict&) const {
  check("batch", batch);
  check("params", params);
  check("collections", collections);
  check("opt_state", opt_state);
  check("aux", aux);
}

}  // namespace kd::sharding

KONFIG_CONSTANT("kauldron.kd:sharding.FIRST_DIM",
                kd::sharding::Sharding{kd::sharding::Placement::FIRST_DIM});
KONFIG_CONSTANT("kauldron.kd:sharding.REPLICATED",
                kd::sharding::Sharding{kd::sharding::Placement::REPLICATED});
