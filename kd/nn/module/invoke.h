// Calling a module whose type is known only at run time: arguments by position and by name.
//
// The names of a call's parameters are those of the module's keys, or, where it has none,
// `static constexpr std::string_view call_names[] = {"inputs_q", "inputs_k"}`.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "kd/nn/module/module.h"
#include "kontext/call.h"

namespace kd::nn {

struct ModuleOps {
  const detail::ModuleInfo* info;
  Out (*call)(const void* module, const detail::Identity& identity, const Arguments& args);
  kontext::KeyPaths (*keys)(const void* module);
  bool (*is_key_annotated)();
};

namespace detail {

template <class T>
std::vector<std::string_view> call_names() {
  if constexpr (requires { T::call_names; }) {
    return {std::begin(T::call_names), std::end(T::call_names)};
  } else if constexpr (kontext::detail::HasKeysHook<T>) {
    return {};
  } else {
    std::vector<std::string_view> names;
    static const auto fields = konfig::field_names<T>();
    for (auto [place, optional] : kontext::detail::key_places(kontext::detail::PlacesOf<T>{})) {
      names.push_back(fields[place]);
    }
    return names;
  }
}

// One argument per parameter, nothing where none was given. An Error for one too many, one given
// twice, or a name that is no parameter's.
std::vector<kontext::TreeRef> bind_arguments(const Arguments& args,
                                             const std::vector<std::string_view>& names,
                                             std::size_t count);
[[noreturn]] void fail_missing(std::size_t i, const std::vector<std::string_view>& names);

template <class A>
std::remove_cvref_t<A> convert_argument(const kontext::TreeRef& given, std::size_t i,
                                        const std::vector<std::string_view>& names) {
  using V = std::remove_cvref_t<A>;
  bool missing = !given || given.shape() == kontext::Shape::none;
  if constexpr (std::is_same_v<V, kontext::TreeRef>) {
    return given;
  } else if constexpr (konfig::detail::is_optional<V>) {
    return missing ? V() : V(given.to<typename V::value_type>());
  } else {
    if (missing) fail_missing(i, names);
    return given.to<V>();
  }
}

template <class R>
Out to_out(R&& result) {
  if constexpr (std::is_same_v<std::remove_cvref_t<R>, Out>) {
    return std::forward<R>(result);
  } else {
    return Out(kontext::TreeRef::own(std::forward<R>(result)));
  }
}

template <class T>
Out call_erased(const void* object, const Identity& identity, const Arguments& args) {
  const T& self = *static_cast<const T*>(object);
  using Parameters = typename kontext::detail::Function<decltype(&T::call)>::Parameters;
  constexpr std::size_t n = std::tuple_size_v<Parameters>;
  if constexpr (std::is_same_v<Parameters, std::tuple<const Arguments&>>) {
    return to_out(run_call(self, identity, args));
  } else {
    static const auto names = call_names<T>();
    std::vector<kontext::TreeRef> given = bind_arguments(args, names, n);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return to_out(
          run_call(self, identity,
                   convert_argument<std::tuple_element_t<I, Parameters>>(given[I], I, names)...));
    }
    (std::make_index_sequence<n>{});
  }
}

}  // namespace detail
}  // namespace kd::nn

template <>
struct kd::Implement<kd::Module> {
  using Ops = kd::nn::ModuleOps;
  template <class T>
  static constexpr Ops ops = {
      &kd::nn::detail::info_of<T>, &kd::nn::detail::call_erased<T>,
      [](const void* module) { return kontext::get_keypaths(*static_cast<const T*>(module)); },
      [] { return kontext::is_key_annotated<T>(); }};
};
