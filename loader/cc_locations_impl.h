// Where a config in C++ gives its parts their values. C++ keeps no lines, the text has them: those
// of the assignments in the exported function, and of the fields within their braces.
//
//   cfg.model = nn::FlatAutoencoder{.inputs = "batch.image",                // model: line 1
//                                   .encoder = nn::Dense{.features = 64}};  // model.encoder: 2
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace loader {

// {path: "config.cc:3"}; of a part that several statements may give its value, "config.cc:3 or
// config.cc:5". Empty where the text has another form.
konfig::Dict cc_locations(std::string_view source, const std::string& file);

}  // namespace loader
