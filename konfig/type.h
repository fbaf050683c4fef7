// Type: what is known about a C++ type at run time.
//
//   const Type& t = type_of<optim::Adam>();
//   for (const Field& f : t.fields) std::cout << f.name << ": " << words(f.type()) << "\n";
//
// `type_of<T>()` fills the table with templates (konfig/make_type.h); loading, lowering, comparing
// and error texts are ordinary code over it, compiled once. Compare types with `is`, never by
// address: two libraries may each hold a table of one type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "konfig/names.h"
#include "konfig/value.h"

namespace konfig {

enum class Kind {
  none,  // std::monostate
  boolean,
  integer,
  floating,
  text,         // std::string, paths, classes with str() and a constructor from text
  enumeration,  // by name
  duration,     // std::chrono
  record,       // a struct
  tuple,        // std::tuple, std::pair
  list,         // std::vector
  bits,         // std::vector<bool>, whose elements have no address
  array,        // std::array
  map,          // konfig::Map, std::map with text keys
  optional,
  variant,
  poly,      // Poly<Interface>
  callable,  // a function by name
  any,       // konfig::Value
  dict,      // konfig::ConfigDict: kept as config, never resolved
  required,  // Required<T>
  inherit,   // Inherit<T, "path">
  args,      // Args<T>: open positional children
  kwargs,    // Kwargs<T>: open keyword children
};

using TypeOf = const Type& (*)();

struct Field {
  std::string_view name;  // "" in tuples
  std::size_t offset;
  TypeOf type;
};

struct Type {
  std::string_view name;  // "kd::optim::Adam"
  Kind kind = Kind::none;

  // ---- Life.
  std::size_t size = 0;
  std::size_t align = 1;
  void (*construct)(void*) = nullptr;
  void (*copy)(void* to, const void* from) = nullptr;
  void (*move)(void* to, void* from) = nullptr;
  void (*assign)(void* to, const void* from) = nullptr;
  void (*destroy)(void*) = nullptr;

  // ---- Scalars.
  bool is_signed = false;           // integer, enumeration, duration
  bool is_whole = true;             // duration: counts whole units
  std::int64_t period[2] = {1, 1};  // duration: seconds per unit, as a fraction
  std::span<const Enumerator> enumerators = {};
  std::string (*to_text)(const void*) = nullptr;
  void (*from_text)(void*, const std::string&) = nullptr;

  // ---- Records and tuples.
  std::span<const Field> fields = {};
  const void* defaults = nullptr;
  bool is_root = false;  // its values fill the Inherit fields below
  std::span<const std::string_view> raw_fields = {};
  void (*post_resolve)(void*, const ConfigDict&) = nullptr;

  // ---- Containers and wrappers: the type inside.
  TypeOf element = nullptr;
  std::size_t (*count)(const void*) = nullptr;           // list, array, args
  void (*resize)(void*, std::size_t) = nullptr;          // list, args
  void* (*at)(void*, std::size_t) = nullptr;             // list, array, args
  void* (*insert)(void*, const std::string&) = nullptr;  // map, kwargs
  void (*clear)(void*) = nullptr;                        // map, kwargs
  // Visits in order until `visit` returns true.
  using Visit = bool (*)(void* context, const std::string& key, void* value);
  bool (*each)(void*, Visit visit, void* context) = nullptr;  // map, kwargs
  void* (*get)(void*) = nullptr;      // optional, required, inherit: nullptr when empty
  void* (*emplace)(void*) = nullptr;  // the same
  void (*reset)(void*) = nullptr;     // the same
  std::string_view root_path = {};    // inherit

  // ---- Variants.
  std::span<const TypeOf> alternatives = {};
  std::size_t (*index)(const void*) = nullptr;
  void* (*active)(void*) = nullptr;
  void* (*emplace_index)(void*, std::size_t) = nullptr;

  std::string_view interface = {};    // poly: "kd::Loss"; callable: the signature
  std::string_view spoken_name = {};  // what error texts say: "a schedule"

  bool is(const Type& other) const { return name == other.name; }
  const Field* find(std::string_view field) const;
  const Field* open_args() const;    // the field of kind args, if any
  const Field* open_kwargs() const;  // the field of kind kwargs, if any
};

// Defined in konfig/make_type.h for every type a field may have.
template <class T>
const Type& type_of();

// What a value of this type is called in "expected ..., got ...": "a whole number".
std::string words(const Type& type);

// Objects on the heap, made through the table.
std::shared_ptr<void> make_object(const Type& type);
std::shared_ptr<void> clone_object(const Type& type, const void* from);
std::shared_ptr<void> take_object(const Type& type, void* from);  // moves

namespace detail {
inline void* at_offset(void* p, std::size_t offset) { return static_cast<char*>(p) + offset; }
inline const void* at_offset(const void* p, std::size_t offset) {
  return static_cast<const char*>(p) + offset;
}
}  // namespace detail

}  // namespace konfig
