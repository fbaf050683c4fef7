// Types of fields that layers share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/core/interfaces.h"
#include "kd/core/tensor_fwd.h"
#include "konfig/callable.h"

namespace kd::nn {

// One whole number, or several: `.axis = -1`, `.kernel_size = {3, 3}`.
struct Ints : std::variant<std::int64_t, std::vector<std::int64_t>> {
  static constexpr std::string_view konfig_name = "a whole number or a list of them";
  using List = std::vector<std::int64_t>;

  Ints() : variant(List()) {}
  Ints(std::int64_t value) : variant(value) {}
  Ints(std::initializer_list<std::int64_t> values) : variant(List(values)) {}
  Ints(List values) : variant(std::move(values)) {}

  bool is_list() const { return index() == 1; }
  // All of them; one number is a list of one.
  List list() const {
    return is_list() ? std::get<List>(*this) : List{std::get<std::int64_t>(*this)};
  }
  // One number stands for n equal ones.
  List repeated(std::size_t n) const {
    return is_list() ? std::get<List>(*this) : List(n, std::get<std::int64_t>(*this));
  }
};

// Ints without a default.
struct RequiredInts : Required<Ints> {
  using Required::Required;
  RequiredInts(std::initializer_list<std::int64_t> values) : Required(Ints(values)) {}
};

// Ints, or None, which stands for 1.
struct OptionalInts : std::variant<std::monostate, std::int64_t, std::vector<std::int64_t>> {
  static constexpr std::string_view konfig_name = "a whole number, a list of them or None";
  OptionalInts() = default;
  OptionalInts(std::int64_t value) : variant(value) {}
  OptionalInts(std::initializer_list<std::int64_t> values) : variant(Ints::List(values)) {}
  OptionalInts(Ints::List values) : variant(std::move(values)) {}

  Ints::List repeated(std::size_t n) const {
    if (auto* list = std::get_if<Ints::List>(this)) return *list;
    auto* value = std::get_if<std::int64_t>(this);
    return Ints::List(n, value ? *value : 1);
  }
};

// What is added before and after one dimension; a single number is for both sides.
struct Pad : std::variant<std::int64_t, std::pair<std::int64_t, std::int64_t>> {
  static constexpr std::string_view konfig_name = "a whole number or a pair of them";
  Pad(std::int64_t both = 0) : variant(both) {}
  Pad(std::int64_t before, std::int64_t after) : variant(std::pair(before, after)) {}

  std::pair<std::int64_t, std::int64_t> sides() const {
    if (auto* both = std::get_if<std::int64_t>(this)) return {*both, *both};
    return std::get<1>(*this);
  }
};

// "SAME", "VALID", "CIRCULAR", "REFLECT", "CAUSAL", one number for all sides, or one entry per
// dimension: `.padding = {{1, 1}, {0, 2}}`.
struct Padding : std::variant<std::string, std::int64_t, std::vector<Pad>> {
  static constexpr std::string_view konfig_name =
      "a kind of padding (\"SAME\"), a whole number, or one or two per dimension";
  Padding(const char* kind = "SAME") : variant(std::string(kind)) {}
  Padding(std::string kind) : variant(std::move(kind)) {}
  Padding(int all) : variant(std::int64_t{all}) {}
  Padding(std::initializer_list<Pad> pads) : variant(std::vector<Pad>(pads)) {}
  Padding(std::vector<Pad> pads) : variant(std::move(pads)) {}
};

// A function of one tensor, by name: `.activation_fn = "flax.linen:relu"`.
using Activation = konfig::Callable<Tensor(const Tensor&)>;

// The precision of products, for the reference's accelerators: never lowered here.
using Precision = std::optional<std::string>;

// A setting of the reference that has no meaning here: only None is accepted.
using Unused = std::monostate;

}  // namespace kd::nn
