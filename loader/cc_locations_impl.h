// Where a config in C++ gives its parts their values. C++ keeps no lines, the text has them: those
// of the assignments in the exported function, and of the fields within their braces.
//
//   cfg.train_losses["l2"] = losses::L2{.preds = "preds",       // train_losses.l2: line 1
//                                       .targets = "batch.y"};  // train_losses.l2.targets: line 2
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace loader {

// {path: "config.cc:3"}; of a part that several statements may give its value, "config.cc:3 or
// config.cc:5". Empty where the text has another form.
konfig::Dict cc_locations(std::string_view source, const std::string& file);

}  // namespace loader
