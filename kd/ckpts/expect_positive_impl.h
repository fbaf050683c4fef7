// A check that fields of the checkpointer and of its policies share. Library only.
#pragma once

#include <optional>
#include <string>

#include "konfig/error.h"

namespace kd::ckpts {

// An Error names the field; None is fine.
inline void expect_positive(const std::string& field, const std::optional<int>& value) {
  if (!value || *value > 0) return;
  throw konfig::Error(konfig::ErrorKind::value, field,
                      "expected a whole number above 0, got " + std::to_string(*value));
}

}  // namespace kd::ckpts
