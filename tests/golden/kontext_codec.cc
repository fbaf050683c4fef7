// Values of the kontext cases, from and to their notation in JSON.
#include "tests/golden/kontext_codec.h"

#include <cmath>
#include <stdexcept>

namespace golden {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;
using kontext::NdArray;
using kontext::Part;
using kontext::TreeRef;

namespace {

// The tag and content of a one-key map such as {"$tuple": [...]}; nullptr when it is none.
const Value* tagged(const Value& json, std::string& tag) {
  auto* dict = json.get_if<Dict>();
  if (!dict || dict->size() != 1) return nullptr;
  auto* key = dict->begin()->first.get_if<std::string>();
  if (!key || !key->starts_with('$')) return nullptr;
  tag = *key;
  return &dict->begin()->second;
}

std::vector<Value> decode_items(const Value& json) {
  std::vector<Value> out;
  for (auto& item : json.as<List>()) out.push_back(decode(item));
  return out;
}

double number(const Value& v) {
  return v.is<double>() ? v.as<double>() : static_cast<double>(v.as<std::int64_t>());
}

std::optional<std::int64_t> bound(const Value& v) {
  return v.is_none() ? std::nullopt : std::optional(v.as<std::int64_t>());
}

Value decode_tagged(const std::string& tag, const Value& content) {
  if (tag == "$tuple") return Tuple(decode_items(content));
  if (tag == "$ellipsis") return konfig::Ellipsis{};
  if (tag == "$bytes") return konfig::Bytes{content.as<std::string>()};
  if (tag == "$float") return std::stod(content.as<std::string>());
  if (tag == "$slice") {
    auto& b = content.as<List>();
    return konfig::Slice{bound(b[0]), bound(b[1]), bound(b[2])};
  }
  if (tag == "$complex") {
    auto& parts = content.as<List>();
    return konfig::Complex{number(parts[0]), number(parts[1])};
  }
  if (tag == "$dict") {
    Dict out;
    for (auto& pair : content.as<List>()) {
      out.set(decode(pair.as<List>()[0]), decode(pair.as<List>()[1]));
    }
    return out;
  }
  if (tag == "$cfg") {
    ConfigDict out;
    for (auto& [key, value] : content.as<Dict>()) out.set(key, decode(value));
    return out;
  }
  throw std::runtime_error("unknown notation " + tag);
}

NdArray decode_array(const Dict& json) {
  NdArray out;
  for (auto& n : json.at("shape").as<List>()) out.shape.push_back(n.as<std::int64_t>());
  for (auto& x : json.at("data").as<List>()) out.data.push_back(x.as<std::int64_t>());
  out.dtype = json.at("dtype").as<std::string>();
  return out;
}

Value encode_array(const NdArray& array) {
  List shape(std::vector<Value>(array.shape.begin(), array.shape.end()));
  List data(std::vector<Value>(array.data.begin(), array.data.end()));
  return Dict{{"$array", Dict{{"shape", shape}, {"dtype", array.dtype}, {"data", data}}}};
}

std::vector<std::pair<Part, Value>> encode_children(const TreeRef& tree) {
  std::vector<std::pair<Part, Value>> out;
  tree.each([&](const Part& part, const TreeRef& child) {
    out.emplace_back(part, encode(child));
    return false;
  });
  return out;
}

Value encode_scalar(const Value& v) {
  if (auto* d = v.get_if<double>(); d && !std::isfinite(*d)) {
    return Dict{{"$float", v.repr()}};
  }
  if (auto* c = v.get_if<konfig::Complex>()) return Dict{{"$complex", List{c->real, c->imag}}};
  if (v.is<konfig::Ellipsis>()) return Dict{{"$ellipsis", true}};
  if (auto* s = v.get_if<konfig::Slice>()) {
    auto end = [](auto& b) { return b ? Value(*b) : Value(); };
    return Dict{{"$slice", List{end(s->start), end(s->stop), end(s->step)}}};
  }
  return v;
}

}  // namespace

Value decode(const Value& json) {
  std::string tag;
  if (auto* content = tagged(json, tag)) return decode_tagged(tag, *content);
  if (json.is<List>()) return List(decode_items(json));
  if (auto* dict = json.get_if<Dict>()) {
    Dict out;
    for (auto& [key, value] : *dict) out.set(key, decode(value));
    return out;
  }
  return json;
}

Value encode(const TreeRef& tree) {
  if (auto* array = tree.get_if<NdArray>()) return encode_array(*array);
  if (!tree.is_container()) return encode_scalar(tree.value());
  auto children = encode_children(tree);
  if (tree.shape() == kontext::Shape::list || tree.shape() == kontext::Shape::tuple) {
    List items;
    for (auto& child : children) items.push_back(child.second);
    return tree.shape() == kontext::Shape::list ? Value(items) : Value(Dict{{"$tuple", items}});
  }
  bool plain = true;
  Dict named;
  List pairs;
  for (auto& [part, value] : children) {
    plain = plain && part.text() && !part.text()->starts_with('$');
    named.set(part.value(), value);
    pairs.push_back(List{encode_part(part), value});
  }
  if (tree.get_if<ConfigDict>()) return Dict{{"$cfg", named}};
  if (tree.get_if<AnyObject>()) return Dict{{"$obj", named}};
  return plain ? Value(named) : Value(Dict{{"$dict", pairs}});
}

Part decode_part(const Value& json) {
  std::string tag;
  auto* content = tagged(json, tag);
  if (content && tag == "$wild") {
    return content->as<std::string>() == "*" ? Part::star() : Part::star_star();
  }
  return Part(decode(json));
}

Value encode_part(const Part& part) {
  if (part.is_wildcard()) return Dict{{"$wild", part.name()}};
  return encode(part.value());
}

bool needs_any(const Value& json) {
  std::string tag;
  if (tagged(json, tag) && (tag == "$obj" || tag == "$array")) return true;
  if (auto* list = json.get_if<List>()) return std::any_of(list->begin(), list->end(), needs_any);
  auto* dict = json.get_if<Dict>();
  return dict &&
         std::any_of(dict->begin(), dict->end(), [](auto& pair) { return needs_any(pair.second); });
}

Any decode_any(const Value& json) {
  std::string tag;
  auto* content = tagged(json, tag);
  if (content && tag == "$array") return decode_array(content->as<Dict>());
  if (content && tag == "$obj") {
    AnyObject out;
    for (auto& [key, value] : content->as<Dict>()) {
      out.items.emplace_back(key.as<std::string>(), decode_any(value));
    }
    return out;
  }
  if (content && tag == "$tuple") {
    AnyTuple out;
    for (auto& item : content->as<List>()) out.items.push_back(decode_any(item));
    return out;
  }
  if (json.is<List>()) {
    AnyList out;
    for (auto& item : json.as<List>()) out.items.push_back(decode_any(item));
    return out;
  }
  if (content && tag != "$dict") return decode(json);
  if (!json.is<Dict>()) return json;
  AnyDict out;
  if (content) {
    for (auto& pair : content->as<List>()) {
      out.items.emplace_back(decode(pair.as<List>()[0]), decode_any(pair.as<List>()[1]));
    }
  } else {
    for (auto& [key, value] : json.as<Dict>()) out.items.emplace_back(key, decode_any(value));
  }
  return out;
}

}  // namespace golden

namespace kontext {

TreeRef TreeTraits<golden::AnyDict>::item(const golden::AnyDict& dict, const Part& part) {
  for (auto& [key, value] : dict.items) {
    if (key == part.value()) return TreeRef::of(value);
  }
  return {};
}
bool TreeTraits<golden::AnyDict>::each(const golden::AnyDict& dict, const Visit& visit) {
  for (auto& [key, value] : dict.items) {
    if (visit(Part(key), TreeRef::of(value))) return true;
  }
  return false;
}
TreeRef TreeTraits<golden::AnyList>::item(const golden::AnyList& list, const Part& part) {
  return TreeRef::of(list.items).item(part);
}
bool TreeTraits<golden::AnyList>::each(const golden::AnyList& list, const Visit& visit) {
  return TreeRef::of(list.items).each(visit);
}
TreeRef TreeTraits<golden::AnyTuple>::item(const golden::AnyTuple& tuple, const Part& part) {
  return TreeRef::of(tuple.items).item(part);
}
bool TreeTraits<golden::AnyTuple>::each(const golden::AnyTuple& tuple, const Visit& visit) {
  return TreeRef::of(tuple.items).each(visit);
}
TreeRef TreeTraits<golden::AnyObject>::attribute(const golden::AnyObject& object,
                                                 std::string_view name) {
  for (auto& [key, value] : object.items) {
    if (key == name) return TreeRef::of(value);
  }
  return {};
}
bool TreeTraits<golden::AnyObject>::each(const golden::AnyObject& object, const Visit& visit) {
  for (auto& [key, value] : object.items) {
    if (visit(Part(key), TreeRef::of(value))) return true;
  }
  return false;
}

}  // namespace kontext
