// SHA-1, for turning names into numbers as the reference does; not for security.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kd::random {

// The digest as five words, most significant first.
std::array<std::uint32_t, 5> sha1(std::string_view data);

}  // namespace kd::random
