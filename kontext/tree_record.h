// Plain structs as trees: their fields are children. Included by kontext/tree.h.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "konfig/names.h"
#include "konfig/reflect.h"
#include "kontext/tree_kinds.h"

namespace kontext {

template <detail::PlainRecord T>
struct TreeTraits<T> {
  static constexpr Shape shape = Shape::record;

  static TreeRef item(const T& record, const Part& part) {
    return part.text() ? attribute(record, *part.text()) : TreeRef();
  }
  static TreeRef attribute(const T& record, std::string_view name) {
    std::size_t at = place_of(name);
    TreeRef out;
    visit_field(record, at, [&](auto& field) { out = TreeRef::of(field); });
    return out;
  }
  static bool each(const T& record, const Visit& visit) {
    for (std::size_t i = 0; i < names().size(); ++i) {
      TreeRef child;
      visit_field(record, i, [&](auto& field) { child = TreeRef::of(field); });
      if (visit(Part(names()[i]), child)) return true;
    }
    return false;
  }
  static void set(T& record, const Part& part, const TreeRef& value) {
    std::size_t at = part.text() ? place_of(*part.text()) : names().size();
    if (at == names().size()) detail::fail_no_field(TreeRef::of(record), part);
    visit_field(record, at, [&](auto& field) { kontext::assign(field, value); });
  }
  // Fields that are not mentioned keep their value.
  static void assign(T& to, const TreeRef& from) {
    detail::expect_shape(from, {Shape::map, Shape::record}, konfig::type_name<T>);
    T out = to;
    from.each([&](const Part& part, const TreeRef& value) { return set(out, part, value), false; });
    to = std::move(out);
  }

 private:
  static const std::vector<std::string_view>& names() {
    static const auto list = konfig::field_names<T>();
    return list;
  }
  static std::size_t place_of(std::string_view name) {
    auto& all = names();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == name) return i;
    }
    return all.size();
  }
  template <class R, class F>
  static void visit_field(R& record, std::size_t at, F&& f) {
    konfig::visit_fields(record, [&](auto&... field) {
      std::size_t i = 0;
      (void)((i++ == at && (f(field), true)) || ...);
    });
  }
};

}  // namespace kontext
