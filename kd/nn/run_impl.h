// The state of one init or apply. Library only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kd/nn/apply.h"

namespace kd::nn::detail {

// A module in the tree of a run. It lives as long as the run, so that counters go on when a module
// is called again.
struct Scope {
  Scope* parent = nullptr;
  std::string name = {};
  std::vector<std::unique_ptr<Scope>> children = {};
  std::vector<std::pair<std::string, std::uint32_t>> draws = {};  // keys drawn, by stream
  const Tree* params = nullptr;  // of a run that does not change them, once looked up

  Scope& child(std::string_view child_name);
  std::vector<std::string> path() const;
  std::string path_text() const;
};

struct Run {
  bool initializing = false;
  Tree variables = {};  // by collection
  Rngs rngs = {};
  std::vector<std::string> mutable_collections = {};
  bool capture = false;
  std::vector<bool> training = {};                         // innermost last
  std::vector<std::pair<std::string, Interms>> sown = {};  // by collection
  Scope root = {};
  Frame* frame = nullptr;                                         // innermost
  std::unordered_multimap<const void*, Frame::Local> bound = {};  // module objects with a scope
  Run* outer = nullptr;

  bool is_mutable(std::string_view collection) const;
  Interms& sown_in(std::string_view collection);
  // The module's part of a collection; nullptr when there is none.
  Tree* find(std::string_view collection, const Scope& scope);
  // Made when missing.
  Tree& make(std::string_view collection, const Scope& scope);
};

inline constexpr std::string_view kIntermediates = "intermediates";

// The thread's run. An Error when no module is running.
Run& current_run();
Run* current_run_or_null();
void set_current_run(Run* run);
Frame& current_frame();

}  // namespace kd::nn::detail
