// Checks of the values in a step, for `checkify_error_categories`.
//
//   const Checks checks = checks_of(trainer.checkify_error_categories);
//   if (auto bad = failed_check(checks, context)) ...        // "preds.image (NaN)"
#pragma once

#include <optional>
#include <string>

#include "kd/train/engine/context.h"
#include "konfig/value.h"

namespace kd::train {

// "index" and "user" need no switch: libtorch checks indices, and what a component throws is
// thrown.
struct Checks {
  bool nan = false;  // NaN in what the model and its modules give, the loss, gradients, updates
  bool div = false;  // infinity in the loss, gradients, updates
  bool any() const { return nan || div; }
};

// From a list of "nan", "div", "index" and "user"; None: no checks. An Error names the nearest.
Checks checks_of(const konfig::Value& categories);

// The first value that fails; none when all is well.
std::optional<std::string> failed_check(const Checks& checks, const Context& context);

// "batch.image (NaN)": the first value in the context that is not finite.
std::string first_bad_value(const Context& context);

}  // namespace kd::train
