// Reads the JSON of python/kd_config_loader.py back: configs whose references are references again.
// python/README.md describes the form.
#pragma once

#include "konfig/value.h"

namespace loader {

// The "config" of the output, as parse_json gives it.
konfig::ConfigDict decode_config(const konfig::Value& encoded);
// One value that stands alone, such as one of a sweep.
konfig::Value decode_value(const konfig::Value& encoded);

// A value in that form, for the loader's command line: tuples and the like keep their type.
konfig::Value encode_value(const konfig::Value& value);

}  // namespace loader
