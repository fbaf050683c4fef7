// Errors that say which metric or loss they are about.
#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "konfig/error.h"
#include "konfig/poly.h"

namespace kd::metrics {

namespace detail {

// "Norm" for kd::metrics::Norm
inline std::string short_name(std::string_view type) {
  auto colon = type.rfind(':');
  return std::string(colon == type.npos ? type : type.substr(colon + 1));
}

}  // namespace detail

// Errors start with the type of the component, if there is one; those of libtorch become ours.
template <class F>
auto with_place(const konfig::PolyBase& component, const F& run) -> decltype(run()) {
  std::string place = component ? detail::short_name(component.type()->name) : "";
  try {
    return run();
  } catch (const konfig::Error& e) {
    if (place.empty() || e.path().find(place) != std::string::npos ||
        e.message().starts_with(place) || e.message().starts_with(component.type()->name)) {
      throw;
    }
    throw e.within(place);
  } catch (const c10::Error& e) {
    throw konfig::Error(konfig::ErrorKind::value, place, e.what_without_backtrace());
  }
}

}  // namespace kd::metrics
