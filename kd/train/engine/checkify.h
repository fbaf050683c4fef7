// Checks of the values in a step, for `checkify_error_categories`.
//
//   const Checks checks = checks_of(trainer.checkify_error_categories);
//   if (auto bad = failed_check(checks, context)) ...        // "preds.image (NaN)"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kd/core/index_checks.h"
#include "kd/train/engine/context.h"
#include "konfig/value.h"

namespace kd::train {

// "user" needs no switch: what a component throws is thrown.
struct Checks {
  bool nan = false;    // NaN in what the model and its modules give, the loss, gradients, updates
  bool div = false;    // division by zero; infinity in the loss, gradients, updates
  bool index = false;  // labels that are no class; other indices are always checked by libtorch
};

// From a list of "nan", "div", "index" and "user"; None: no checks. An Error names the nearest.
Checks checks_of(const konfig::Value& categories);

// The first value that fails; none when all is well.
std::optional<std::string> failed_check(const Checks& checks, const Context& context);

// Looks at the operations of this thread while it lives, for what no value shows afterwards.
class Watch {
 public:
  explicit Watch(const Checks& checks);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  std::optional<std::uint64_t> divisions_;  // the callback's number
  IndexChecks indices_;
};

// What the Watch of this thread has seen: "a division by zero (the divisor has the shape (16, 1))".
std::optional<std::string> division_by_zero();

// "batch.image (NaN)": the first value in the context that is not finite.
std::string first_bad_value(const Context& context);

}  // namespace kd::train
