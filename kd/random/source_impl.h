// Source: the random words of one draw, and the loop over them that all draws share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kd/core/parallel.h"
#include "kd/core/tensor.h"
#include "kd/random/key.h"

namespace kd::random::detail {

// The bits of `elements` elements of `width` bits. Any part can be computed alone, so the result
// never depends on the number of threads.
class Source {
 public:
  Source(const Key& key, Mode mode, std::int64_t elements, int width);

  // Of width 32, 64, and 8 or 16 (each in a word of its own).
  void words(std::int64_t begin, std::int64_t n, std::uint32_t* out) const;
  void longs(std::int64_t begin, std::int64_t n, std::uint64_t* out) const;
  void narrow(std::int64_t begin, std::int64_t n, std::uint32_t* out) const;

 private:
  std::uint32_t original_word(std::uint64_t i) const;
  Key key_;
  Mode mode_;
  int width_;            // bits of an element
  std::uint64_t total_;  // words of the original mode
};

// Pieces that stay in the fastest cache, and enough of them to be worth a thread.
inline constexpr std::int64_t kPiece = 1024, kGrain = 16 * kPiece;

// Calls use(begin, n) for pieces of at most kPiece of 0..total, on all threads.
template <class F>
void in_pieces(std::int64_t total, const F& use) {
  parallel_for(total, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; begin += kPiece) use(begin, std::min(kPiece, end - begin));
  });
}

// A number of elements; an Error for a shape that cannot be.
std::int64_t count_of(const char* what, at::IntArrayRef shape);
// An empty tensor to fill.
Tensor make(const char* what, at::IntArrayRef shape, at::ScalarType dtype);

// A tensor parameter in the shape and dtype of the draw; an Error when it does not broadcast.
Tensor spread(const char* what, const char* name, const Tensor& value, at::IntArrayRef shape,
              at::ScalarType dtype);

// What the samplers need to know of a floating dtype.
struct Format {
  int width;                 // bits of an element
  int drawn;                 // bits that are drawn for one
  int mantissa;              // bits after the point
  double tiny;               // the smallest normal number
  double eps() const;        // the step after 1
  double below_one() const;  // the largest number below 1
};
Format format_of(const char* what, at::ScalarType dtype);
// The number, rounded to the dtype.
double round_to(at::ScalarType dtype, double value);
// The neighbour of a number of that dtype in the direction of `to`.
double next_after(at::ScalarType dtype, double value, double to);

}  // namespace kd::random::detail
