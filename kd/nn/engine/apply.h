// Running a module: init makes its variables, apply calls it with them. What a call may use while
// it runs is in kd/nn/engine/scope.h.
//
//   Tree variables =
//       model.init({.rngs = train::init_rngs(streams), .is_training_property = true}, x);
//   auto [out, interms, changed] = model.apply(variables,
//                                              {.rngs = train::train_rngs(streams, step),
//                                               .is_training_property = true,
//                                               .capture_intermediates = true,
//                                               .mutable_collections = {"batch_stats"}},
//                                              x);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/tree.h"
#include "kd/nn/module/interms.h"
#include "kd/nn/module/module.h"
#include "kd/random/key.h"

namespace kd::nn {

// Random keys by stream. A key alone is that of the stream "params".
struct Rngs : std::map<std::string, random::Key> {
  using map::map;
  Rngs() = default;
  Rngs(std::map<std::string, random::Key> keys) : map(std::move(keys)) {}
  Rngs(random::Key params) { emplace("params", params); }
};

// How a module runs.
struct With {
  Rngs rngs = {};                                     // random streams
  std::optional<bool> is_training_property = {};      // what train_property reads
  bool capture_intermediates = false;                 // outputs of all modules, and sown values
  std::vector<std::string> mutable_collections = {};  // may change in apply; "*": all
};

template <class R>
struct Applied {
  R out;            // what the call gave back
  Interms interms;  // empty unless captured
  Tree changed;     // the mutable collections after the call

  operator R() const& { return out; }
  operator R() && { return std::move(out); }
};

namespace detail {

struct Run;

// The state of one init or apply, the thread's current one while it is alive.
class RunGuard {
 public:
  // The variables must live on.
  RunGuard(bool initializing, const Tree& variables, const With& with);
  RunGuard(bool initializing, Tree&& variables, const With& with) = delete;
  ~RunGuard();
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;

  Tree take_variables();  // of init, without intermediates
  Tree take_changed();
  Interms take_interms();
  // Sown into a collection of its own.
  Interms take_sown(const std::string& collection);

 private:
  std::unique_ptr<Run> run_;
};

}  // namespace detail

// Of a struct or a Poly<Module>.
template <class M, class... A>
Tree initialize(const M& module, const With& with, A&&... args) {
  const Tree none;
  detail::RunGuard run(true, none, with);
  module(std::forward<A>(args)...);
  return run.take_variables();
}

template <class M, class... A>
auto apply(const M& module, const Tree& variables, const With& with, A&&... args) {
  detail::RunGuard run(false, variables, with);
  auto out = module(std::forward<A>(args)...);
  return Applied<decltype(out)>{std::move(out), run.take_interms(), run.take_changed()};
}

template <class Self>
template <class... A>
Tree Module<Self>::init(const With& with, A&&... args) const {
  return nn::initialize(self(), with, std::forward<A>(args)...);
}

template <class Self>
template <class... A>
auto Module<Self>::apply(const Tree& variables, const With& with, A&&... args) const {
  return nn::apply(self(), variables, with, std::forward<A>(args)...);
}

}  // namespace kd::nn
