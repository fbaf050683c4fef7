// Maps, lists and tuples as trees. Included by kontext/tree.h.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "kontext/tree_kinds.h"

namespace kontext {

template <detail::MapLike M>
struct TreeTraits<M> {
  using V = typename M::mapped_type;
  static constexpr Shape shape = Shape::map;

  static TreeRef item(const M& map, const Part& part) {
    const V* found = detail::find_in_map(map, part);
    return found ? TreeRef::of(*found) : TreeRef();
  }
  static bool each(const M& map, const Visit& visit) {
    for (auto& [key, value] : map) {
      if (visit(Part(key), TreeRef::of(value))) return true;
    }
    return false;
  }
  static void set(M& map, const Part& part, const TreeRef& value) {
    if (const V* found = detail::find_in_map(map, part)) {
      return kontext::assign(const_cast<V&>(*found), value);
    }
    V fresh{};
    kontext::assign(fresh, value);
    map[detail::key_for<typename M::key_type>(part)] = std::move(fresh);
  }
  static void assign(M& to, const TreeRef& from) {
    detail::expect_shape(from, {Shape::map, Shape::record}, konfig::type_name<M>);
    M out;
    from.each([&](const Part& part, const TreeRef& value) { return set(out, part, value), false; });
    to = std::move(out);
  }
};

template <detail::ListLike L>
struct TreeTraits<L> {
  using V = typename L::value_type;
  static constexpr Shape shape = Shape::list;

  static TreeRef item(const L& list, const Part& part) {
    if (auto index = part.index()) {
      auto at = position(*index, list.size());
      return at ? element(list, *at) : TreeRef();
    }
    auto* slice = part.value().get_if<Slice>();
    if (!slice) return {};
    auto [start, step, count] = range_of(*slice, list.size());
    std::vector<V> out;
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(list[static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * step)]);
    }
    return TreeRef::own(std::move(out));
  }
  static bool each(const L& list, const Visit& visit) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (visit(Part(i), element(list, i))) return true;
    }
    return false;
  }
  static void set(L& list, const Part& part, const TreeRef& value) {
    auto index = part.index();
    auto at = index ? position(*index, list.size()) : std::nullopt;
    if (!at) detail::fail_no_index(TreeRef::of(list), part);
    set_at(list, *at, value);
  }
  static void assign(L& to, const TreeRef& from) {
    detail::expect_shape(from, {Shape::list, Shape::tuple}, konfig::type_name<L>);
    L out{};
    if constexpr (detail::Resizable<L>) {
      out.resize(from.size());
    } else {
      detail::expect_size(from, out.size());
    }
    std::size_t i = 0;
    from.each([&](const Part&, const TreeRef& value) { return set_at(out, i++, value), false; });
    to = std::move(out);
  }

 private:
  static TreeRef element(const L& list, std::size_t i) {
    if constexpr (std::is_same_v<decltype(list[i]), const V&>) {
      return TreeRef::of(list[i]);
    } else {  // std::vector<bool>
      static constexpr bool kBools[] = {false, true};
      return TreeRef::of(kBools[list[i] ? 1 : 0]);
    }
  }
  static void set_at(L& list, std::size_t i, const TreeRef& value) {
    if constexpr (std::is_same_v<decltype(list[i]), V&>) {
      kontext::assign(list[i], value);
    } else {
      list[i] = value.to<V>();
    }
  }
};

template <detail::TupleLike T>
struct TreeTraits<T> {
  static constexpr Shape shape = Shape::tuple;
  static TreeRef item(const T& tuple, const Part& part) {
    auto index = part.index();
    auto at = index ? position(*index, std::tuple_size_v<T>) : std::nullopt;
    return at ? parts(tuple)[*at] : TreeRef();
  }
  static bool each(const T& tuple, const Visit& visit) {
    auto all = parts(tuple);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (visit(Part(i), all[i])) return true;
    }
    return false;
  }

 private:
  static auto parts(const T& tuple) {
    return std::apply(
        [](auto&... part) { return std::array<TreeRef, sizeof...(part)>{TreeRef::of(part)...}; },
        tuple);
  }
};

}  // namespace kontext
