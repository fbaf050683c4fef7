#include "konfig/type.h"

#include <limits>
#include <new>

#include "base/join.h"
#include "konfig/make_type.h"

namespace konfig {

namespace {

const Field* find_kind(const Type& type, Kind kind) {
  for (const Field& field : type.fields) {
    if (field.type().kind == kind) return &field;
  }
  return nullptr;
}

std::string with_article(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiouAEIOU").find(noun[0]) != noun.npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

std::string unit_of(const Type& type) {
  const auto [num, den] = type.period;
  if (num == 1 && den == 1) return "seconds";
  if (num == 60 && den == 1) return "minutes";
  if (num == 3600 && den == 1) return "hours";
  if (num == 86400 && den == 1) return "days";
  if (num == 1 && den == 1'000) return "milliseconds";
  if (num == 1 && den == 1'000'000) return "microseconds";
  if (num == 1 && den == 1'000'000'000) return "nanoseconds";
  return "units of " + std::to_string(num) + "/" + std::to_string(den) + " seconds";
}

std::string words_of_variant(const Type& type) {
  return base::join_or(type.alternatives, [](auto& alternative) { return words(alternative()); });
}

std::string words_of_enum(const Type& type) {
  return "one of " + base::join(type.enumerators, ", ", &Enumerator::name);
}

struct Deleter {
  const Type* type;
  void operator()(void* p) const {
    type->destroy(p);
    ::operator delete(p, std::align_val_t(type->align));
  }
};

// Room for one value; `construct` fills it.
template <class Construct>
std::shared_ptr<void> allocate(const Type& type, Construct construct) {
  void* room = ::operator new(type.size, std::align_val_t(type.align));
  try {
    construct(room);
  } catch (...) {
    ::operator delete(room, std::align_val_t(type.align));
    throw;
  }
  return std::shared_ptr<void>(room, Deleter{&type});
}

}  // namespace

const Field* Type::find(std::string_view field) const {
  for (const Field& f : fields) {
    if (f.name == field) return &f;
  }
  return nullptr;
}

const Field* Type::open_args() const { return find_kind(*this, Kind::args); }
const Field* Type::open_kwargs() const { return find_kind(*this, Kind::kwargs); }

std::string words(const Type& type) {
  if (!type.spoken_name.empty()) return std::string(type.spoken_name);
  switch (type.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return "True or False";
    case Kind::integer:
      return "a whole number";
    case Kind::floating:
      return "a number";
    case Kind::text:
      return "text";
    case Kind::enumeration:
      return words_of_enum(type);
    case Kind::duration:
      return std::string("a duration (") + (type.is_whole ? "a whole number" : "a number") +
             " of " + unit_of(type) + ", or text such as \"10s\")";
    case Kind::record:
      return with_article(type.name);
    case Kind::tuple:
      return "a tuple of " + std::to_string(type.fields.size());
    case Kind::array:
      return "a list of " + std::to_string(type.count(nullptr));
    case Kind::bits:
    case Kind::list:
    case Kind::args:
      return "a list";
    case Kind::map:
    case Kind::kwargs:
    case Kind::dict:
      return "a dict";
    case Kind::optional:
      return words(type.element()) + " or None";
    case Kind::required:
    case Kind::inherit:
      return words(type.element());
    case Kind::variant:
      return words_of_variant(type);
    case Kind::poly:
      return with_article(type.interface);
    case Kind::callable:
      return "the name of a function " + std::string(type.interface);
    case Kind::any:
      return "anything";
  }
  return "";
}

std::shared_ptr<void> make_object(const Type& type) {
  return allocate(type, [&](void* room) { type.construct(room); });
}
std::shared_ptr<void> clone_object(const Type& type, const void* from) {
  return allocate(type, [&](void* room) { type.copy(room, from); });
}
std::shared_ptr<void> take_object(const Type& type, void* from) {
  return allocate(type, [&](void* room) { type.move(room, from); });
}

namespace detail {

void set_offsets(std::vector<Field>& fields, const void* object, const void* const* places) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i].offset = static_cast<std::size_t>(static_cast<const char*>(places[i]) -
                                                static_cast<const char*>(object));
  }
}

void fail_unresolved(std::string_view root_path) {
  throw Error(ErrorKind::value, "this field takes its value from the root's \"" +
                                    std::string(root_path) +
                                    "\" and the root has not filled it yet");
}

}  // namespace detail

// The common types are filled here once; other sources only call them.
template const Type& type_of<bool>();
template const Type& type_of<int>();
template const Type& type_of<std::int64_t>();
template const Type& type_of<std::uint64_t>();
template const Type& type_of<float>();
template const Type& type_of<double>();
template const Type& type_of<std::string>();
template const Type& type_of<std::filesystem::path>();
template const Type& type_of<Value>();
template const Type& type_of<ConfigDict>();
template const Type& type_of<std::optional<bool>>();
template const Type& type_of<std::optional<int>>();
template const Type& type_of<std::optional<double>>();
template const Type& type_of<std::optional<std::string>>();
template const Type& type_of<std::vector<int>>();
template const Type& type_of<std::vector<double>>();
template const Type& type_of<std::vector<std::string>>();

}  // namespace konfig
