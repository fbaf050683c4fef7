// What describes a run, as the reference words it.
#include "kd/writers/run_files.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "kd/data/batch.h"
#include "kd/tree/ops.h"
#include "konfig/json.h"

namespace kd::writers {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

namespace {

using Row = std::vector<std::string>;

// The first row is the head.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.at(0).size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += "| " + rows[r][i] + std::string(widths[i] - rows[r][i].size() + 1, ' ');
    }
    out += "|\n";
    if (r > 0) continue;
    for (std::size_t width : widths) out += "|" + std::string(width + 2, '-');
    out += "|\n";
  }
  return out;
}

// "f32[8 784]"
std::string short_spec(const Tensor& tensor) {
  const std::string name = data::dtype_name(tensor.scalar_type());
  std::string out = name;
  for (auto [whole, brief] : {std::pair<std::string_view, const char*>("bfloat", "bf"),
                              {"float", "f"},
                              {"uint", "ui"},
                              {"int", "i"},
                              {"complex", "c"}}) {
    if (!name.starts_with(whole)) continue;
    out = brief;
    out.append(name, whole.size());
    break;
  }
  out += '[';
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    if (i > 0) out += ' ';
    out += std::to_string(tensor.size(i));
  }
  return out + ']';
}

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
    return array(spec.tensor().sizes().vec(), data::dtype_name(spec.tensor().scalar_type()));
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
    for (int i = 0; i < static_cast<int>(c10::ScalarType::NumOptions); ++i) {
      const auto scalar = static_cast<c10::ScalarType>(i);
      if (data::dtype_name(scalar) == dtype) {
        return Tree(at::empty(shape, at::TensorOptions(scalar).device(at::kMeta)));
      }
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

std::string context_overview(const Tree& context) {
  Tree shown = context;
  std::vector<Row> same;
  for (const char* name : {"grads", "updates"}) {
    if (!shown.has_names() || !shown.contains(name)) continue;
    if (!shown[name].is_none()) {
      same.push_back({std::string("`") + name + "`", "`<<same structure as params>>`"});
    }
    shown[name] = Tree();
  }
  std::vector<Row> rows;
  for (auto& [path, tensor] : flatten(shown)) {
    rows.push_back({"`" + path + "`", "`" + short_spec(tensor) + "`"});
  }
  std::sort(rows.begin(), rows.end());
  rows.insert(rows.begin(), {"Path", "Spec"});
  rows.insert(rows.end(), same.begin(), same.end());
  return table(rows);
}

std::string element_spec_json(const Tree& spec) {
  return konfig::to_json(spec_value(spec), {.indent = 2});
}

Tree parse_element_spec(std::string_view json) { return spec_tree(konfig::parse_json(json)); }

}  // namespace kd::writers
