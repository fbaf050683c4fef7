// export_: objects back to configs; object_of: the C++ object behind a resolved value.
#include "konfig/print.h"
#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type.h"

#include "konfig/node.h"

namespace konfig {
namespace {

Value export_value(const Value& v, int& depth);

List export_items(const Sequence& sequence, int& depth) {
  List out;
  for (auto& v : sequence) out.push_back(export_value(v, depth));
  return out;
}

// Pairs, not keys: keys that are no text survive.
Value export_dict(const Dict& dict, int& depth) {
  List pairs;
  for (auto& [k, v] : dict) pairs.push_back(List{export_value(k, depth), export_value(v, depth)});
  return Dict{{std::string(kQualname), "builtins:dict"}, {"0", pairs}};
}

Value export_value(const Value& v, int& depth) {
  detail::DepthGuard guard(depth);
  if (v.is_none() || v.is<bool>() || v.is<std::int64_t>() || v.is<BigInt>() || v.is<double>() ||
      v.is<std::string>()) {
    return v;
  }
  if (auto* list = v.get_if<List>()) return export_items(*list, depth);
  if (auto* tuple = v.get_if<Tuple>()) {
    return Dict{{std::string(kQualname), "builtins.tuple"}, {"0", export_items(*tuple, depth)}};
  }
  if (auto* dict = v.get_if<Dict>()) return export_dict(*dict, depth);
  if (auto* symbol = v.get_if<SymbolName>()) return Dict{{std::string(kConst), symbol->qualname}};
  if (auto* object = v.get_if<Object>(); object && object->type) return export_object(*object);
  throw Error(ErrorKind::unsupported,
              "cannot export " + shorten(v.repr(), 40) + " of type " + std::string(v.type_name()));
}

}  // namespace

Value export_(const Value& resolved) {
  int depth = 0;
  return export_value(resolved, depth);
}

std::shared_ptr<const void> object_of(const Value& resolved, const Type& type) {
  auto* object = resolved.get_if<Object>();
  if (object && object->type && object->type->is(type)) return object->ptr;
  throw Error(ErrorKind::type,
              "expected " + std::string(type.name) + ", got " + shorten(resolved.repr(), 60));
}

}  // namespace konfig
