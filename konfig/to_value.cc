#include "konfig/to_value.h"

#include "konfig/callable.h"
#include "konfig/export_hook.h"
#include "konfig/inherit.h"
#include "konfig/lower.h"
#include "konfig/resolve.h"
#include "konfig/type_registry.h"
#include "konfig/walk.h"

namespace konfig {

namespace {

std::vector<Value> children(const Type& type, void* p) {
  std::vector<Value> out;
  detail::each_child(type, p, [&](const detail::Child& child) {
    out.push_back(to_value(*child.type, child.ptr));
    return false;
  });
  return out;
}

Dict entries(const Type& type, void* p) {
  Dict out;
  detail::each_child(type, p, [&](const detail::Child& child) {
    out.set(std::get<std::string>(*child.step), to_value(*child.type, child.ptr));
    return false;
  });
  return out;
}

}  // namespace

Value to_value(const Type& type, const void* value) {
  void* p = const_cast<void*>(value);  // the table's accessors take mutable pointers
  switch (type.kind) {
    case Kind::record:
      return Object{&type, clone_object(type, p)};
    case Kind::tuple:
    case Kind::array:
      return Tuple(children(type, p));
    case Kind::list:
    case Kind::args:
      return List(children(type, p));
    case Kind::map:
    case Kind::kwargs:
      return entries(type, p);
    case Kind::optional:
    case Kind::required:
    case Kind::inherit: {
      const void* inner = type.get(p);
      return inner ? to_value(type.element(), inner) : Value();
    }
    case Kind::variant:
      return to_value(type.alternatives[type.index(p)](), type.active(p));
    case Kind::poly: {
      auto& poly = *static_cast<PolyBase*>(p);
      return poly ? Value(Object{poly.type(), poly.object()}) : Value();
    }
    case Kind::callable: {
      auto& name = static_cast<CallableBase*>(p)->qualname;
      return name.empty() ? Value() : Value(SymbolName{name});
    }
    case Kind::any:
      return *static_cast<Value*>(p);
    case Kind::dict:
      return *static_cast<ConfigDict*>(p);
    default:
      return lower_value(type, p);
  }
}

Value export_object(const Object& object) {
  const Type& type = *object.type;
  void* p = const_cast<void*>(object.ptr.get());
  if (auto hook = detail::find_export_hook(type.name)) {
    const Dict out = hook(p);
    if (out.find(Value(kQualname))) return out;
    throw Error(ErrorKind::value, "the export hook of " + std::string(type.name) +
                                      " must give a map with \"__qualname__\", got " +
                                      Value(out).repr());
  }
  Dict out;
  for (const Field& field : type.fields) {
    const Type& inner = field.type();
    void* at = detail::at_offset(p, field.offset);
    if (inner.kind == Kind::args || inner.kind == Kind::kwargs) {
      detail::each_child(inner, at, [&](const detail::Child& child) {
        out.set(std::get<std::string>(*child.step), export_(to_value(*child.type, child.ptr)));
        return false;
      });
    } else if (inner.kind == Kind::dict) {
      out.set(field.name, static_cast<ConfigDict*>(at)->copy());
    } else if (inner.kind != Kind::inherit ||
               static_cast<detail::InheritBase*>(at)->origin == detail::Origin::given) {
      out.set(field.name, export_(to_value(inner, at)));
    }
  }
  out.set(kQualname, require_qualname(type));
  return out;
}

}  // namespace konfig
