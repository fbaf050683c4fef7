// Objects known by their run-time table only (the content of a Poly, a resolved object) as trees.
#include "konfig/poly.h"
#include "konfig/to_value.h"
#include "konfig/walk.h"
#include "kontext/tree.h"

namespace kontext::detail {
namespace {

using konfig::Field;
using konfig::Kind;
using konfig::Type;
using konfig::Value;

const Type& type_of(const TreeRef& self) { return *static_cast<const Type*>(self.context()); }
// The accessors of the table take mutable pointers.
void* pointer(const TreeRef& self) { return const_cast<void*>(self.ptr()); }

TreeRef field_ref(const TreeRef& self, const Field& field) {
  return type_ref(field.type(), konfig::detail::at_offset(self.ptr(), field.offset));
}

// ---- Where the children are.

TreeRef record_item(const TreeRef& self, const Part& part) {
  const Field* field = part.text() ? type_of(self).find(*part.text()) : nullptr;
  return field ? field_ref(self, *field) : TreeRef();
}
bool each_in_record(const TreeRef& self, const Visit& visit) {
  for (const Field& field : type_of(self).fields) {
    if (visit(Part(field.name), field_ref(self, field))) return true;
  }
  return false;
}

TreeRef tuple_item(const TreeRef& self, const Part& part) {
  auto fields = type_of(self).fields;
  auto index = part.index();
  auto at = index ? position(*index, fields.size()) : std::nullopt;
  return at ? field_ref(self, fields[*at]) : TreeRef();
}
bool each_in_tuple(const TreeRef& self, const Visit& visit) {
  auto fields = type_of(self).fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (visit(Part(i), field_ref(self, fields[i]))) return true;
  }
  return false;
}

std::optional<std::size_t> list_position(const TreeRef& self, const Part& part) {
  auto index = part.index();
  return index ? position(*index, type_of(self).count(self.ptr())) : std::nullopt;
}
TreeRef list_item(const TreeRef& self, const Part& part) {
  const Type& type = type_of(self);
  if (part.value().is<Slice>()) {
    return TreeRef::own(konfig::to_value(type, self.ptr())).item(part);
  }
  auto at = list_position(self, part);
  return at ? type_ref(type.element(), type.at(pointer(self), *at)) : TreeRef();
}
bool each_in_list(const TreeRef& self, const Visit& visit) {
  const Type& type = type_of(self);
  for (std::size_t i = 0; i < type.count(self.ptr()); ++i) {
    if (visit(Part(i), type_ref(type.element(), type.at(pointer(self), i)))) return true;
  }
  return false;
}

void* map_slot(const TreeRef& self, const std::string& key) {
  struct Search {
    const std::string& key;
    void* found = nullptr;
  } search{key};
  type_of(self).each(
      pointer(self),
      [](void* context, const std::string& name, void* value) {
        auto& s = *static_cast<Search*>(context);
        if (name == s.key) s.found = value;
        return s.found != nullptr;
      },
      &search);
  return search.found;
}
TreeRef map_item(const TreeRef& self, const Part& part) {
  void* slot = part.text() ? map_slot(self, *part.text()) : nullptr;
  return slot ? type_ref(type_of(self).element(), slot) : TreeRef();
}
bool each_in_map(const TreeRef& self, const Visit& visit) {
  struct Context {
    const Type& element;
    const Visit& visit;
  } context{type_of(self).element(), visit};
  return type_of(self).each(
      pointer(self),
      [](void* raw, const std::string& key, void* value) {
        auto& c = *static_cast<Context*>(raw);
        return c.visit(Part(key), type_ref(c.element, value));
      },
      &context);
}

// ---- Writing.

void assign_slot(const Type& type, void* slot, const TreeRef& value) {
  konfig::load(type, slot, value.value());
}
void set_in_record(const TreeRef& self, const Part& part, const TreeRef& value) {
  const Field* field = part.text() ? type_of(self).find(*part.text()) : nullptr;
  if (!field) fail_no_field(self, part);
  assign_slot(field->type(), konfig::detail::at_offset(pointer(self), field->offset), value);
}
void set_in_list(const TreeRef& self, const Part& part, const TreeRef& value) {
  auto at = list_position(self, part);
  if (!at) fail_no_index(self, part);
  assign_slot(type_of(self).element(), type_of(self).at(pointer(self), *at), value);
}
void set_in_map(const TreeRef& self, const Part& part, const TreeRef& value) {
  if (!part.text()) fail_key_type(part, "text");
  const Type& element = type_of(self).element();
  auto fresh = konfig::make_object(element);  // so that a refused value leaves no empty entry
  assign_slot(element, fresh.get(), value);
  element.assign(type_of(self).insert(pointer(self), *part.text()), fresh.get());
}

Value value_of(const TreeRef& self) { return konfig::to_value(type_of(self), self.ptr()); }

const TreeOps kRecordOps = {
    .type = {},
    .shape = Shape::record,
    .item = record_item,
    .attribute = [](const TreeRef& self,
                    const std::string& name) { return record_item(self, Part(name)); },
    .each = each_in_record,
    .value = value_of,
    .set = set_in_record};
const TreeOps kTypedTupleOps = {.type = {},
                                .shape = Shape::tuple,
                                .item = tuple_item,
                                .each = each_in_tuple,
                                .value = value_of};
const TreeOps kTypedListOps = {.type = {},
                               .shape = Shape::list,
                               .item = list_item,
                               .each = each_in_list,
                               .value = value_of,
                               .set = set_in_list};
const TreeOps kTypedMapOps = {.type = {},
                              .shape = Shape::map,
                              .item = map_item,
                              .each = each_in_map,
                              .value = value_of,
                              .set = set_in_map};
const TreeOps kTypedLeafOps = {.type = {}, .value = value_of};

}  // namespace

TreeRef type_ref(const Type& type, const void* object) {
  void* p = const_cast<void*>(object);
  switch (type.kind) {
    case Kind::none:
      return TreeRef::none();
    case Kind::record:
      return TreeRef(object, &kRecordOps, &type);
    case Kind::tuple:
      return TreeRef(object, &kTypedTupleOps, &type);
    case Kind::list:
    case Kind::array:
    case Kind::args:
      return TreeRef(object, &kTypedListOps, &type);
    case Kind::map:
    case Kind::kwargs:
      return TreeRef(object, &kTypedMapOps, &type);
    case Kind::optional:
    case Kind::required:
    case Kind::inherit: {
      void* inner = type.get(p);
      return inner ? type_ref(type.element(), inner) : TreeRef::none();
    }
    case Kind::variant:
      return type_ref(type.alternatives[type.index(p)](), type.active(p));
    case Kind::poly: {
      auto& spec = static_cast<konfig::PolyBase*>(p)->spec();
      return spec ? type_ref(*spec->type, spec->value.get()) : TreeRef::none();
    }
    case Kind::any:
      return TreeRef::of(*static_cast<const Value*>(object));
    case Kind::dict:
      return TreeRef::of(*static_cast<const konfig::ConfigDict*>(object));
    default:
      return TreeRef(object, &kTypedLeafOps, &type);
  }
}

}  // namespace kontext::detail
