// The state of one init or apply. Library only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/nn/engine/apply.h"

namespace kd::nn::detail {

// A module in the tree of a run. It lives as long as the run, so that counters go on when a module
// is called again.
struct Scope {
  Scope* parent = nullptr;
  std::string name = {};
  std::string key_prefix = {};  // one more name in the path of random keys; see frame.cc
  std::vector<std::unique_ptr<Scope>> children = {};
  std::vector<std::pair<std::string, std::uint32_t>> draws = {};  // keys drawn, by stream
  const Tree* params = nullptr;  // of a run that does not change them, once looked up

  Scope& child(std::string_view child_name);
  std::vector<std::string> path() const;
  std::vector<std::string> key_path() const;
  std::string path_text() const;
};

struct Run {
  bool initializing = false;
  const Tree* given = nullptr;  // the variables of an apply, which live on
  Tree variables = {};          // collections that may change
  Rngs rngs = {};
  std::vector<std::string> mutable_collections = {};
  bool capture = false;
  std::optional<DType> compute = {};                       // of layers that name none
  std::vector<bool> training = {};                         // innermost last
  std::vector<std::pair<std::string, Interms>> sown = {};  // by collection
  Scope root = {};
  Frame* frame = nullptr;                                         // innermost
  std::unordered_multimap<const void*, Frame::Local> bound = {};  // module objects with a scope
  std::unordered_set<const void*> called = {};                    // of init: module objects
  Run* outer = nullptr;

  bool is_mutable(std::string_view collection) const;
  Interms& sown_in(std::string_view collection);
  // The module's part of a collection; nullptr when there is none.
  const Tree* find(std::string_view collection, const Scope& scope) const;
  // Made when missing.
  Tree& make(std::string_view collection, const Scope& scope);
};

inline constexpr std::string_view kIntermediates = "intermediates";

// The thread's run. An Error when no module is running.
Run& current_run();
Run* current_run_or_null();
void set_current_run(Run* run);
// What set_train_property says on this thread while no module is running, innermost last: a model
// that is no module calls one.
std::vector<bool>& training_outside();
Frame& current_frame();

// Of a call that list_call added (summary.cc).
void list_output(const Frame& frame, const kontext::TreeRef& output);

}  // namespace kd::nn::detail
