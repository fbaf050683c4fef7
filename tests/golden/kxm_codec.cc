#include "tests/golden/kxm_codec.h"

#include <cmath>
#include <limits>
#include <map>

#include "konfig/json.h"

namespace golden {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;

std::string qualname(const std::string& name) {
  static const std::map<std::string, std::string> kOther = {{"Borg", "xmanager.xm_abc:"},
                                                            {"BorgScheduling", "xmanager.xm_abc:"},
                                                            {"A", "golden:"},
                                                            {"B", "golden:"}};
  auto it = kOther.find(name);
  return (it == kOther.end() ? "kauldron.kxm:" : it->second) + name;
}

std::string class_of(const std::string& qualname) {
  return qualname.substr(qualname.find_last_of(":.") + 1);
}

}  // namespace

Value decode_kxm(const Value& json) {
  if (auto* list = json.get_if<List>()) {
    List out;
    for (auto& item : *list) out.push_back(decode_kxm(item));
    return out;
  }
  auto* dict = json.get_if<Dict>();
  if (!dict) return json;
  if (auto* items = dict->find("$tuple")) {
    std::vector<Value> out;
    for (auto& item : items->as<List>()) out.push_back(decode_kxm(item));
    return Tuple(std::move(out));
  }
  if (auto* number = dict->find("$float")) {
    const auto& text = number->as<std::string>();
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return text == "nan" ? std::nan("") : text == "inf" ? kInf : -kInf;
  }
  if (auto* frozen = dict->find("$frozen")) return decode_kxm(*frozen);
  if (auto* cfg = dict->find("$cfg")) return ConfigDict(decode_kxm(*cfg).as<Dict>());
  Dict out;
  for (auto& [k, v] : *dict) {
    if (k == Value("$new")) {
      out.set(konfig::kQualname, qualname(v.as<std::string>()));
    } else {
      out.set(k, decode_kxm(v));
    }
  }
  return out;
}

ConfigDict decode_node(const Value& json) { return ConfigDict(decode_kxm(json).as<Dict>()); }

Value encode_kxm(const Value& value) {
  if (auto* tuple = value.get_if<Tuple>()) {
    List items;
    for (auto& item : *tuple) items.push_back(encode_kxm(item));
    return Dict{{"$tuple", items}};
  }
  if (auto* list = value.get_if<List>()) {
    List out;
    for (auto& item : *list) out.push_back(encode_kxm(item));
    return out;
  }
  if (auto* number = value.get_if<double>(); number && !std::isfinite(*number)) {
    return Dict{{"$float", value.repr()}};
  }
  if (auto* node = value.get_if<ConfigDict>()) {
    return Dict{{"$cfg", konfig::parse_json(konfig::to_json(*node))}};
  }
  auto* dict = value.get_if<Dict>();
  if (!dict) return value;
  Dict out;
  for (auto& [k, v] : *dict) {
    if (k == Value(konfig::kQualname)) {
      out.set("$new", class_of(v.as<std::string>()));
    } else {
      out.set(k, encode_kxm(v));
    }
  }
  return out;
}

}  // namespace golden
