// Types of fields that pipelines share.
#pragma once

#include <initializer_list>
#include <string_view>
#include <variant>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/data/sources/source.h"
#include "konfig/callable.h"

namespace kd {
class Tree;
}

namespace kd::data {

// In order; with names, when a config wants to change one of them.
struct Transforms : std::variant<std::vector<Poly<Transform>>, Map<Poly<Transform>>> {
  static constexpr std::string_view konfig_name = "a list or a map of transforms";
  using variant::variant;
  Transforms(std::initializer_list<Poly<Transform>> list)
      : variant(std::vector<Poly<Transform>>(list)) {}

  std::vector<Poly<Transform>> list() const {
    if (auto* vector = std::get_if<std::vector<Poly<Transform>>>(this)) return *vector;
    std::vector<Poly<Transform>> out;
    for (auto& [name, transform] : std::get<Map<Poly<Transform>>>(*this)) out.push_back(transform);
    return out;
  }
};

// What happens to the records of a last batch that is not full.
enum class Remainder {
  drop,  // left out
  keep,  // a smaller batch
  pad,   // filled up with zeros
};

// True is `drop`, false is `keep`.
struct DropRemainder : std::variant<bool, Remainder> {
  static constexpr std::string_view konfig_name = "true, false, \"drop\", \"keep\" or \"pad\"";
  using variant::variant;
  DropRemainder() : variant(true) {}

  Remainder mode() const {
    if (auto* mode = std::get_if<Remainder>(this)) return *mode;
    return std::get<bool>(*this) ? Remainder::drop : Remainder::keep;
  }
};

// Options of the reference's reader, so that its configs load.
struct ReadOptions {
  int num_threads = 16;            // threads that read records
  int prefetch_buffer_size = 500;  // records read ahead
};

// A function that gives all examples as one tree, or a source.
struct Loader : std::variant<konfig::Callable<Tree()>, Poly<Source>> {
  static constexpr std::string_view konfig_name = "a function or a source";
  using variant::variant;
};

}  // namespace kd::data

KONFIG_TYPE(kd::data::ReadOptions, "grain.python:ReadOptions");
