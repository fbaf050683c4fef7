// The names in shapes, and whether they agree with each other. Included by kd/typing/spec.h.
#pragma once

#include "kd/typing/spec.h"

namespace kd::typing {

namespace detail {

// Calls f(name, several) for each name that a spec binds, and g for each that arithmetic uses.
template <class F, class G>
constexpr void each_name(const Spec& spec, F&& f, G&& g) {
  for (std::size_t i = 0; i < spec.dims; ++i) {
    if (spec.dim[i].name.size) f(spec.of(spec.dim[i].name), spec.dim[i].many);
  }
  for (std::size_t i = 0; i < spec.steps; ++i) {
    const Step& step = spec.step[i];
    if (step.op == Op::name || step.op == Op::many) g(spec.of(step.name), step.op == Op::many);
  }
}

}  // namespace detail

constexpr bool names_agree(const Spec* const* specs, std::size_t count) {
  bool agree = true;
  for (std::size_t i = 0; i < count; ++i) {
    auto compare = [&](std::string_view name, bool many) {
      auto same = [&](std::string_view other, bool other_many) {
        if (name == other && many != other_many) agree = false;
      };
      for (std::size_t k = 0; k < count; ++k) detail::each_name(*specs[k], same, same);
    };
    detail::each_name(*specs[i], compare, compare);
  }
  return agree;
}

constexpr bool arithmetic_is_bound(const Spec* const* specs, std::size_t count) {
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) {
    auto ignore = [](std::string_view, bool) {};
    detail::each_name(*specs[i], ignore, [&](std::string_view name, bool) {
      bool found = false;
      auto same = [&](std::string_view other, bool) { found = found || name == other; };
      for (std::size_t k = 0; k < count; ++k) detail::each_name(*specs[k], same, ignore);
      all = all && found;
    });
  }
  return all;
}

}  // namespace kd::typing
