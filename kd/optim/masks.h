// Which leaves of a tree of parameters: masks and labels, by path or written out.
//
//   cfg.optimizer = optim::AdamW{.learning_rate = 1e-3, .mask = optim::Select{"kernel"}};
//   cfg.optimizer = optim::AdamW{.learning_rate = 1e-3,
//                                .mask = konfig::Dict{{"encoder", true}, {"head", false}}};
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kd/core/interfaces.h"

namespace kd {

class MaskFn;   // tells which leaves, by their paths
class LabelFn;  // gives each leaf a label, by its path

}  // namespace kd

namespace kd::optim {

// True or false for each leaf, or for all below a node: a bool, a (nested) dict or list of bools,
// or a function of the paths. None: no mask.
struct Mask : std::variant<std::monostate, bool, Poly<MaskFn>, konfig::Value> {
  static constexpr std::string_view konfig_name = "a mask (true, false, a tree of them, or select)";
  using variant::variant;
  bool is_none() const;
};

// A name for each leaf, or for all below a node: text, a (nested) dict or list of texts, or a
// function of the paths.
struct Labels : std::variant<konfig::Value, Poly<LabelFn>> {
  static constexpr std::string_view konfig_name = "a tree of labels, or a function that makes one";
  using variant::variant;
};

// One pattern, or several of which one must match.
struct Patterns : std::variant<std::string, std::vector<std::string>> {
  static constexpr std::string_view konfig_name = "a pattern, or a list of patterns";
  using variant::variant;
  Patterns(const char* pattern) : variant(std::string(pattern)) {}
};

// Leaves whose path has the pattern: whole parts between dots, as in "encoder.lora". With one of
// ()[]?+*^$|\ in it, the pattern is a regular expression.
struct Select {
  Required<Patterns> pattern;  // of several, one that matches is enough
  std::vector<bool> select(const std::vector<std::string>& paths) const;
};

// All leaves but those of Select.
struct Exclude {
  Required<Patterns> pattern;  // of several, one that matches is enough
  std::vector<bool> select(const std::vector<std::string>& paths) const;
};

}  // namespace kd::optim

namespace kd {
using optim::Labels;
using optim::Mask;
}  // namespace kd

KONFIG_COMPONENT(kd::MaskFn, kd::optim::Select, "kauldron.kd:optim.select");
KONFIG_COMPONENT(kd::MaskFn, kd::optim::Exclude, "kauldron.kd:optim.exclude");
