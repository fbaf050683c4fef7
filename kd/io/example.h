// tf.train.Example: a record as named lists of bytes, floats or whole numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kd::io {

using ExampleValues =
    std::variant<std::vector<std::string_view>, std::vector<float>, std::vector<std::int64_t>>;
using Example = std::map<std::string, ExampleValues, std::less<>>;

// The texts point into `bytes`. `name` is for messages.
Example parse_example(std::string_view bytes, const std::string& name);

}  // namespace kd::io
