// Values of the kontext cases: how they are written in JSON. The notation is described at the top
// of kontext/generate.py.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "konfig/value.h"
#include "kontext/array_test.h"
#include "kontext/tree.h"

namespace golden {

konfig::Value decode(const konfig::Value& json);
konfig::Value encode(const kontext::TreeRef& tree);
kontext::Part decode_part(const konfig::Value& json);
konfig::Value encode_part(const kontext::Part& part);

// ---- A tree with arrays and objects in it, as a user's own type would be.

struct Any;
struct AnyDict {  // in order of insertion; any key
  std::vector<std::pair<konfig::Value, Any>> items;
};
struct AnyList {
  std::vector<Any> items;
};
struct AnyTuple {
  std::vector<Any> items;
};
struct AnyObject {  // with attributes
  std::vector<std::pair<std::string, Any>> items;
};
struct Any : std::variant<konfig::Value, AnyDict, AnyList, AnyTuple, AnyObject, kontext::NdArray> {
  using variant::variant;
};

Any decode_any(const konfig::Value& json);
bool needs_any(const konfig::Value& json);  // has an array or an object in it

}  // namespace golden

namespace kontext {

template <>
struct TreeTraits<golden::AnyDict> {
  static constexpr Shape shape = Shape::map;
  static constexpr std::string_view spoken = "dict";
  static TreeRef item(const golden::AnyDict& dict, const Part& part);
  static bool each(const golden::AnyDict& dict, const Visit& visit);
};
template <>
struct TreeTraits<golden::AnyList> {
  static constexpr Shape shape = Shape::list;
  static constexpr std::string_view spoken = "list";
  static TreeRef item(const golden::AnyList& list, const Part& part);
  static bool each(const golden::AnyList& list, const Visit& visit);
};
template <>
struct TreeTraits<golden::AnyTuple> {
  static constexpr Shape shape = Shape::tuple;
  static constexpr std::string_view spoken = "tuple";
  static TreeRef item(const golden::AnyTuple& tuple, const Part& part);
  static bool each(const golden::AnyTuple& tuple, const Visit& visit);
};
template <>
struct TreeTraits<golden::AnyObject> {
  static constexpr Shape shape = Shape::record;
  static constexpr std::string_view spoken = "Obj";
  static TreeRef attribute(const golden::AnyObject& object, std::string_view name);
  static bool each(const golden::AnyObject& object, const Visit& visit);
};

}  // namespace kontext
