#include "cli/resolved.h"

#include <map>

#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type.h"
#include "konfig/type_registry.h"

namespace cli {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Field;
using konfig::Kind;
using konfig::Object;
using konfig::Sequence;
using konfig::Type;
using konfig::Value;

class Tree {
 public:
  Value value(const Value& v) {
    if (auto* object = v.get_if<Object>()) return node(*object);
    if (auto* list = v.get_if<konfig::List>()) return konfig::List(items(*list));
    if (auto* tuple = v.get_if<konfig::Tuple>()) return konfig::Tuple(items(*tuple));
    if (auto* symbol = v.get_if<konfig::SymbolName>()) return konfig::constant(symbol->qualname);
    if (auto* dict = v.get_if<Dict>()) {
      ConfigDict out;
      for (auto& [key, x] : *dict) out.set(key, value(x));
      return out;
    }
    return v;
  }

 private:
  std::vector<Value> items(const Sequence& sequence) {
    std::vector<Value> out;
    for (auto& v : sequence) out.push_back(value(v));
    return out;
  }

  Value node(const Object& object) {
    if (!object.type || !object.ptr) return konfig::None();
    if (object.type->kind != Kind::record) {
      return value(konfig::to_value(*object.type, object.ptr.get()));
    }
    if (auto it = nodes_.find(object.ptr.get()); it != nodes_.end()) return it->second.second;
    ConfigDict out;
    nodes_.emplace(object.ptr.get(), std::pair(object.ptr, out));
    fill(out, *object.type, object.ptr.get());
    return out;
  }

  void fill(ConfigDict& out, const Type& type, const void* p) {
    if (auto name = konfig::qualname_of(type); !name.empty()) out.set(konfig::kQualname, name);
    for (const Field& field : type.fields) {
      const Type& inner = field.type();
      const Value v = konfig::to_value(inner, konfig::detail::at_offset(p, field.offset));
      if (inner.kind == Kind::args) {
        std::size_t i = 0;
        for (auto& x : v.as<konfig::List>()) out.set(std::to_string(i++), value(x));
      } else if (inner.kind == Kind::kwargs) {
        for (auto& [key, x] : v.as<Dict>()) out.set(key, value(x));
      } else if (auto* raw = v.get_if<ConfigDict>()) {
        out.set(field.name, raw->copy());
      } else {
        out.set(field.name, value(v));
      }
    }
  }

  // Objects stay alive while their address stands for them.
  std::map<const void*, std::pair<std::shared_ptr<const void>, ConfigDict>> nodes_;
};

}  // namespace

Value resolved_tree(const Value& resolved) { return Tree().value(resolved); }

Value build_tree(const ConfigDict& cfg) {
  return resolved_tree(konfig::resolve(cfg, {.freeze = false}));
}

}  // namespace cli
