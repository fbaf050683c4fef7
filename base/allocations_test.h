// Counts what a test program allocates. Only one of its sources may include this: the operators
// are those of the whole program.
#pragma once

#include <cstdlib>
#include <new>

namespace base {
inline thread_local std::size_t allocations = 0;  // by this thread
}

// GCC sees malloc behind the one and free behind the other only after inlining, and warns.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++base::allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++base::allocations;
  return std::malloc(size ? size : 1);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
