// Typed paths: a path written as a chain of members, where a wrong field does not compile.
//
//   struct Box { float score = 0; };
//   struct Batch { Tensor image; std::vector<Box> boxes; std::map<std::string, int> ids; };
//
//   auto batch = path_builder_from<Batch>("batch");
//   Key key = batch[&Batch::boxes][0][&Box::score];     // "batch.boxes[0].score"
//   batch[&Batch::ids]["x y"].str();                    // "batch.ids['x y']"
//   batch[&Batch::image][Axes{Ellipsis{}, 0}].str();    // "batch.image[...,0]"
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "konfig/names.h"
#include "konfig/reflect.h"
#include "kontext/key.h"
#include "kontext/path.h"
#include "kontext/tree.h"

namespace kontext {

namespace detail {

// What is reached by writing on: behind pointers and optionals, they add nothing to a path.
template <class T>
struct Behind {
  using type = T;
};
template <PointerLike T>
struct Behind<T> : Behind<std::remove_cvref_t<decltype(*std::declval<T&>())>> {};
template <class T>
using behind = typename Behind<std::remove_cv_t<T>>::type;

struct Anything {};  // where the type is not known

// A struct that no TreeTraits makes something else, such as an array.
template <class T>
inline constexpr bool is_struct = PlainRecord<T>&& ops_of<T>.shape == Shape::record;
template <>
inline constexpr bool is_struct<Anything> = false;

template <class T>
struct Element {
  using type = Anything;
};
template <MapLike T>
struct Element<T> {
  using type = typename T::mapped_type;
};
template <ListLike T>
struct Element<T> {
  using type = typename T::value_type;
};

// The name of the field at this address of `object`.
std::string field_name_at(const void* field, const void* const* places,
                          const std::vector<std::string_view>& names);

template <class C, class F>
std::string member_name(F C::*member) {
  static_assert(konfig::Record<C>, "kontext: a path leads through plain structs");
  static const C object{};
  auto places = konfig::visit_fields(object, konfig::detail::CollectPlaces{});
  return field_name_at(&(object.*member), places.at.data(), konfig::field_names<C>());
}

}  // namespace detail

template <class T>
class PathBuilder {
 public:
  explicit PathBuilder(Path path) : path_(std::move(path)) {}

  // .field
  template <class C, class F>
  requires std::is_member_object_pointer_v<F C::*>
  auto operator[](F C::*member) const {
    static_assert(std::is_base_of_v<C, T>, "kontext: this struct has no such field");
    return PathBuilder<detail::behind<F>>(path_ / Part(detail::member_name(member)));
  }
  // [key], [0], [1:]
  auto operator[](Part part) const {
    static_assert(!detail::is_struct<T>,
                  "kontext: name a field of a struct by its member: [&Batch::image]");
    using Next = detail::behind<typename detail::Element<T>::type>;
    return PathBuilder<Next>(path_ / std::move(part));
  }

  const Path& path() const { return path_; }
  std::string str() const { return path_.str(); }
  Key key() const { return Key(path_.str()); }
  operator Key() const { return key(); }
  operator Path() const { return path_; }

 private:
  Path path_;
};

// A builder for paths into a T that stands at `prefix`.
template <class T = detail::Anything>
PathBuilder<detail::behind<T>> path_builder_from(std::string_view prefix) {
  return PathBuilder<detail::behind<T>>(Path::parse(prefix));
}

}  // namespace kontext
