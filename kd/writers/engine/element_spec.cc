// The spec of a batch, as the reference words it.
#include "kd/writers/engine/element_spec.h"

#include <ATen/ops/empty.h>

#include "kd/core/dtype_name.h"
#include "kd/data/engine/batch.h"
#include "konfig/json.h"

namespace kd::writers {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

namespace {

constexpr const char* kArraySpec = "etils.enp.array_spec:ArraySpec";

Value spec_value(const Tree& spec) {
  auto array = [](const std::vector<std::int64_t>& shape, const std::string& dtype) {
    List sizes;
    for (std::int64_t n : shape) sizes.push_back(n);
    return Dict{{"__qualname__", kArraySpec},
                {"shape", Dict{{"__qualname__", "builtins.tuple"}, {"0", sizes}}},
                {"dtype", dtype}};
  };
  if (spec.is_none()) return {};
  if (spec.is_tensor()) {
    return array(spec.tensor().sizes().vec(), std::string(dtype_name(spec.tensor().scalar_type())));
  }
  if (spec.kind() == Tree::Kind::texts) {
    return array({static_cast<std::int64_t>(spec.texts().size())}, "object");
  }
  List items;
  for (std::size_t i = 0; i < spec.size(); ++i) {
    const Value item = spec_value(spec.child(i));
    items.push_back(spec.has_names() ? Value(List{spec.name(i), item}) : item);
  }
  return Dict{{"__qualname__", spec.has_names() ? "builtins:dict" : "builtins:list"}, {"0", items}};
}

Tree spec_tree(const Value& value) {
  if (value.is_none()) return {};
  const Dict& node = value.as<Dict>();
  const std::string& type = node.at("__qualname__").as<std::string>();
  if (type == kArraySpec) {
    std::vector<std::int64_t> shape;
    for (const Value& n : node.at("shape").as<Dict>().at("0").as<List>()) {
      shape.push_back(n.as<std::int64_t>());
    }
    const std::string& dtype = node.at("dtype").as<std::string>();
    if (dtype == "object") return Tree(Tree::Texts(static_cast<std::size_t>(shape.at(0))));
    if (const auto scalar = dtype_named(dtype)) {
      return Tree(at::empty(shape, at::TensorOptions(*scalar).device(at::kMeta)));
    }
    throw Error(ErrorKind::value, "element_spec: there is no dtype '" + dtype + "'");
  }
  Tree out = type == "builtins:dict" ? Tree::dict() : Tree::list();
  for (const Value& item : node.at("0").as<List>()) {
    if (type == "builtins:dict") {
      const List& pair = item.as<List>();
      out[pair[0].as<std::string>()] = spec_tree(pair[1]);
    } else {
      out.push_back(spec_tree(item));
    }
  }
  return out;
}

}  // namespace

std::string element_spec_json(const Tree& spec) {
  return konfig::to_json(spec_value(spec), {.indent = 2});
}

Tree parse_element_spec(std::string_view json) { return spec_tree(konfig::parse_json(json)); }

}  // namespace kd::writers
