// Checks of the trees that transformations get, and the places of errors. Library only.
#pragma once

#include <string_view>

#include "kd/core/tree.h"
#include "konfig/error.h"

namespace kd::optim {

// An Error names a parameter that is no floating-point number.
void check_parameters(const Tree& params);

// What `f` gives; an Error that it throws starts with the field.
template <class F>
auto at_field(std::string_view field, const F& f) {
  try {
    return f();
  } catch (const konfig::Error& e) {
    throw e.within(field);
  }
}

}  // namespace kd::optim
