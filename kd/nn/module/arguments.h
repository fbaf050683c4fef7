// Arguments and results of a module whose type is known only at run time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/core/tensor_fwd.h"
#include "kontext/tree.h"

namespace kd::nn {

// What a module is called with: `module(x, mask = m)`. Modules that pass on whatever they get, such
// as Sequential, take it as their only parameter.
struct Arguments {
  std::vector<kontext::TreeRef> positional = {};
  std::vector<std::pair<std::string, kontext::TreeRef>> keywords = {};

  const kontext::TreeRef* find(std::string_view keyword) const;
};

// The result of a module, of any type: `Tensor y = encoder(x);`, `out.to<Preds>()`.
class Out {
 public:
  Out() = default;
  explicit Out(kontext::TreeRef tree) : tree_(std::move(tree)) {}
  // The result as a tensor; an Error when it is something else.
  operator Tensor() const;
  template <class T>
  T to() const {
    return tree_.to<T>();
  }
  const kontext::TreeRef& tree() const { return tree_; }

 private:
  kontext::TreeRef tree_;
};

// Owns copies of the arguments: what a module keeps or records must not hang on the caller.
template <class... A>
Arguments arguments(const A&... args) {
  [[maybe_unused]] auto own = []<class T>(const T& value) {
    if constexpr (std::is_same_v<T, kontext::TreeRef>) {
      return value;
    } else if constexpr (std::is_same_v<T, Out>) {
      return value.tree();
    } else {
      return kontext::TreeRef::own(value);
    }
  };
  return Arguments{.positional = {own(args)...}};
}

// The same of a call that may be of Arguments already.
inline Arguments arguments_of(const Arguments& args) { return args; }
template <class... A>
Arguments arguments_of(const A&... args) {
  return arguments(args...);
}

}  // namespace kd::nn

// Trees of trees: results of several modules under names.
template <>
struct kontext::TreeTraits<kontext::TreeRef> {
  static TreeRef ref(const TreeRef& tree) { return tree; }
};
template <>
struct kontext::TreeTraits<kd::nn::Out> {
  static TreeRef ref(const kd::nn::Out& out) { return out.tree(); }
};
