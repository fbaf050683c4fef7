// Calls a member function of a struct with what the struct's keys lead to, in order of declaration,
// and checks annotated parameters (kd/typing).
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "kd/typing/typing.h"
#include "kontext/call.h"

namespace kd::metrics::detail {

// The key fields that are passed on: their places in the list of fields, and whether they may be
// None.
template <std::size_t N>
struct KeyList {
  std::array<std::pair<std::size_t, bool>, N> at = {};
  std::size_t size = 0;
};

template <class T, class... F>
consteval auto list_keys(const konfig::detail::Places<F...>& places, bool is_loss) {
  KeyList<sizeof...(F)> out;
  [[maybe_unused]] std::size_t i = 0;
  // A loss does not see its mask and step: they are applied to what it gives.
  auto skipped = [&](const void* field) {
    if constexpr (requires(const T& t) { t.mask; }) {
      if (is_loss && field == &konfig::detail::Fake<T>::object.value.mask) return true;
    }
    if constexpr (requires(const T& t) { t.step; }) {
      if (is_loss && field == &konfig::detail::Fake<T>::object.value.step) return true;
    }
    return false;
  };
  [[maybe_unused]] auto add = [&](bool is_key, bool is_optional) {
    if (is_key && !skipped(places.at[i])) out.at[out.size++] = {i, is_optional};
    ++i;
  };
  (add(kontext::detail::is_key_field<F>, kontext::detail::is_optional_key<F>), ...);
  return out;
}

template <class T, bool IsLoss>
inline constexpr auto keys_of = list_keys<T>(
    konfig::visit_fields(konfig::detail::Fake<T>::object.value, konfig::detail::CollectPlaces{}),
    IsLoss);

// A value for every parameter that is not optional.
const kontext::Resolved* find_key(const kontext::ResolvedKeys& keys, std::string_view name,
                                  std::string_view type, bool optional);
template <class A>
const kontext::Resolved* find_key(const kontext::ResolvedKeys& keys, std::string_view name,
                                  std::string_view type) {
  return find_key(keys, name, type, konfig::detail::is_optional<std::remove_cvref_t<A>>);
}

// The Error of a check with "argument 'mask'" for "argument 4".
konfig::Error with_names(const konfig::Error& error, const std::vector<std::string_view>& names);

template <auto Method, bool IsLoss, class T>
decltype(auto) call_with(const T& object, const kontext::ResolvedKeys& keys) {
  using Parameters = typename kontext::detail::Function<decltype(Method)>::Parameters;
  constexpr std::size_t n = std::tuple_size_v<Parameters>;
  static constexpr auto& list = keys_of<T, IsLoss>;
  static_assert(n == list.size,
                "metrics: the function takes another number of parameters than there are keys "
                "(a loss does not take its mask and step)");
  static const auto names = konfig::field_names<T>();
  auto call = [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    (kontext::detail::check_parameter<std::tuple_element_t<I, Parameters>, list.at[I].second>(),
     ...);
    return typing::checked<Method>(
        object, kontext::detail::argument<std::tuple_element_t<I, Parameters>>(
                    find_key<std::tuple_element_t<I, Parameters>>(keys, names[list.at[I].first],
                                                                  konfig::type_name<T>))...);
  };
  try {
    return call(std::make_index_sequence<n>{});
  } catch (const konfig::Error& e) {
    std::vector<std::string_view> parameters;
    for (std::size_t i = 0; i < n; ++i) parameters.push_back(names[list.at[i].first]);
    throw with_names(e, parameters);
  }
}

}  // namespace kd::metrics::detail
