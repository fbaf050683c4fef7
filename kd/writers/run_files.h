// What describes a run: its config, its data, its parameters; as files and as texts for writers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kd/tree/tree.h"

namespace kd::writers {

// A table in Markdown: path, and dtype and shape, of everything that keys can name. `params`, and
// what has their structure (grads, updates), are not repeated.
std::string context_overview(const Tree& context);

// The spec of a batch, as the reference stores it in element_spec.json; and back.
std::string element_spec_json(const Tree& spec);
Tree parse_element_spec(std::string_view json);

}  // namespace kd::writers
