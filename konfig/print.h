// Configs in Kauldron's Python-like notation: `<ConfigDict[optax.adam(learning_rate=0.003)]>`.
#pragma once

#include <string>

#include "konfig/value.h"

namespace konfig {

// The body only: "optax.adam(learning_rate=0.003)". Shared parts are marked &id001 and *id001.
std::string to_text(const Value& value);
// With the frame `<ConfigDict[...]>` around configs.
std::string repr(const Value& value);

// At most about `most` bytes: the first and the last part around "...".
std::string shorten(std::string text, std::size_t most);

}  // namespace konfig
