// What keys can name, as a text for writers.
#pragma once

#include <string>

#include "kd/core/tree.h"

namespace kd::writers {

// A table in Markdown: path, and dtype and shape, of everything that keys can name. `params`, and
// what has their structure (grads, updates), are not repeated.
std::string context_overview(const Tree& context);

}  // namespace kd::writers
