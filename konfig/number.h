// Numbers at an address, by their size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace konfig::detail {

// Two's complement, so signed and unsigned numbers are written alike.
void write_whole(void* out, std::size_t size, std::uint64_t bits);
std::uint64_t read_whole(const void* p, std::size_t size, bool is_signed);  // sign-extended

void write_real(void* out, std::size_t size, double number);
// A float as the shortest decimal that reads back as the same float: 0.1f gives 0.1.
double read_real(const void* p, std::size_t size);
bool same_real(const void* a, const void* b, std::size_t size);  // bit for bit

}  // namespace konfig::detail
