#include "cli/config_fields.h"

#include <algorithm>
#include <optional>

#include "cli/resolved.h"
#include "cli/text.h"
#include "konfig/docs.h"
#include "konfig/registry.h"
#include "konfig/sequence.h"
#include "konfig/to_value.h"
#include "kontext/key.h"
#include "kontext/path.h"

namespace cli {
namespace {

using konfig::ConfigDict;
using konfig::Field;
using konfig::Kind;
using konfig::Type;
using konfig::Value;
using kontext::Part;
using kontext::Path;

// Without the wrappers that a value does not show.
const Type* inside(const Type* type, const Value& value) {
  while (type) {
    if (type->kind == Kind::optional || type->kind == Kind::required ||
        type->kind == Kind::inherit) {
      type = &type->element();
    } else if (type->kind == Kind::variant && value.is<ConfigDict>()) {
      auto is_container = [](konfig::TypeOf t) {
        const Kind kind = t().kind;
        return kind == Kind::record || kind == Kind::map || kind == Kind::poly;
      };
      auto it = std::find_if(type->alternatives.begin(), type->alternatives.end(), is_container);
      type = it == type->alternatives.end() ? nullptr : &(*it)();
    } else {
      break;
    }
  }
  return type;
}

const Type* element_of(const Type* type) {
  if (!type) return nullptr;
  switch (type->kind) {
    case Kind::list:
    case Kind::array:
    case Kind::map:
    case Kind::args:
    case Kind::kwargs:
      return &type->element();
    default:
      return nullptr;
  }
}

// The record whose fields a node has, or nullptr.
const Type* record_of(const ConfigDict& node, const Type* declared) {
  if (node.is_call()) {
    try {
      auto* symbol = konfig::find_symbol(node.qualname());
      return symbol ? symbol->type : nullptr;
    } catch (const konfig::Error&) {
      return nullptr;  // no well-formed name
    }
  }
  return declared && declared->kind == Kind::record ? declared : nullptr;
}

Path below(const Path& path, const ConfigDict& node, const Value& key) {
  auto* text = key.get_if<std::string>();
  if (text && node.is_call()) {
    for (std::size_t i = 0; i < node.num_args(); ++i) {
      if (*text == std::to_string(i)) return path / Part(i);
    }
  }
  return path / Part(key);
}

// None where a field has no default.
std::optional<Value> default_of(const Type& owner, const Field& field) {
  const Kind kind = field.type().kind;
  if (!owner.defaults || kind == Kind::required || kind == Kind::inherit) return {};
  return konfig::to_value(field.type(), konfig::detail::at_offset(owner.defaults, field.offset));
}

class Walk {
 public:
  std::vector<ConfigField> fields;

  void node(const Path& path, const ConfigDict& node, const Type* declared) {
    // A config may contain itself.
    if (std::any_of(active_.begin(), active_.end(), [&](auto& n) { return n.same(node); })) return;
    active_.push_back(node);
    if (auto* record = node.is_const() ? nullptr : record_of(node, declared)) {
      record_fields(path, node, *record);
    } else if (!node.is_const()) {
      for (auto& [key, value] : node.items()) {
        if (key == Value(konfig::kQualname)) continue;
        place(below(path, node, key), value, element_of(declared), "");
      }
    }
    active_.pop_back();
  }

 private:
  void record_fields(const Path& path, const ConfigDict& node, const Type& record) {
    std::vector<std::string> known = {std::string(konfig::kQualname)};
    const std::size_t num_args = node.num_args();
    std::size_t position = 0;
    for (const Field& field : record.fields) {
      const Type& type = field.type();
      const std::string name(field.name);
      const auto doc = konfig::field_doc(record, field.name);
      if (type.kind == Kind::args) {
        for (; position < num_args; ++position) {
          known.push_back(std::to_string(position));
          place(path / Part(position), node.get(known.back()), &type.element(), doc);
        }
      } else if (type.kind != Kind::kwargs) {
        const std::string index = std::to_string(position);
        if (position < num_args) {
          known.push_back(index);
          place(path / Part(position), node.get(index), &type, doc, default_of(record, field));
        } else if (node.contains(name)) {
          place(path / Part(name), node.get(name), &type, doc, default_of(record, field));
        } else {
          unset(path / Part(name), record, field, doc);
        }
        ++position;
      }
      known.push_back(name);
    }
    const Field* open = record.open_kwargs();
    for (auto& [key, value] : node.items()) {
      auto* text = key.get_if<std::string>();
      if (text && std::find(known.begin(), known.end(), *text) != known.end()) continue;
      place(below(path, node, key), value, open ? &open->type().element() : nullptr, "");
    }
  }

  void unset(const Path& path, const Type& record, const Field& field, std::string_view doc) {
    fields.push_back({.path = path.str(),
                      .type = &field.type(),
                      .type_text = type_text(field.type()),
                      .value = default_text(record, field),
                      .is_set = false,
                      .is_default = true,
                      .doc = doc});
  }

  void place(const Path& path, const Value& value, const Type* declared, std::string_view doc,
             const std::optional<Value>& otherwise = {}) {
    const Type* type = inside(declared, value);
    auto* child = value.get_if<ConfigDict>();
    fields.push_back({.path = path.str(),
                      .type = declared,
                      .type_text = declared ? type_text(*declared)
                                   : child  ? "node"
                                            : std::string(value.type_name()),
                      .value = brief_text(value),
                      .is_default = otherwise == value,
                      .is_node = child && !child->is_const(),
                      .doc = doc});
    if (child) return node(path, *child, type);
    const konfig::Sequence* items = konfig::as_sequence(value);
    if (!items) return;
    // Lists of numbers and texts are values; lists of nodes have fields.
    if (std::none_of(items->begin(), items->end(),
                     [](const Value& v) { return v.is<ConfigDict>(); })) {
      return;
    }
    fields.back().is_node = true;
    fields.back().value = "[" + std::to_string(items->size()) + " items]";
    for (std::size_t i = 0; i < items->size(); ++i) {
      place(path / Part(i), (*items)[i], element_of(type), "");
    }
  }

  std::vector<ConfigDict> active_;  // the nodes around
};

}  // namespace

std::vector<ConfigField> config_fields(const ConfigDict& cfg) {
  Walk walk;
  walk.node({}, cfg, nullptr);
  return std::move(walk.fields);
}

std::string default_text(const Type& owner, const Field& field) {
  const Type& type = field.type();
  switch (type.kind) {
    case Kind::required:
      return "required";
    case Kind::inherit:
      return "the root's " + std::string(type.root_path);
    case Kind::args:
    case Kind::kwargs:
      return "";
    default:
      break;
  }
  if (!owner.defaults) return "";
  const Value value =
      konfig::to_value(type, konfig::detail::at_offset(owner.defaults, field.offset));
  if (value == Value(kontext::Key::kRequired)) return "required";
  const Value tree = resolved_tree(value);
  if (type.kind == Kind::record && tree.is<ConfigDict>()) return short_name(type.name) + "()";
  return tree.is<ConfigDict>() ? brief_text(tree) : flat_text(tree);
}

}  // namespace cli
