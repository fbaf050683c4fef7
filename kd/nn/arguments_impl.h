// Settings that a module or its call may give. Library only.
#pragma once

#include <optional>
#include <string>

#include "kd/nn/shapes_impl.h"

namespace kd::nn::detail {

// The one that is set; an Error when both are, or none.
template <class T>
const T& either(const char* name, const std::optional<T>& field, const std::optional<T>& argument) {
  if (field && argument) {
    fail(std::string(name) + " is given to the module and to its call, only one may be");
  }
  if (!field && !argument) {
    fail(std::string(name) + " is given neither to the module nor to its call");
  }
  return field ? *field : *argument;
}

}  // namespace kd::nn::detail
