// What happens around every call of a module: its name is found, its scope opened, its output
// recorded. For kd/nn/module/module.h; models do not need it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/type.h"
#include "kontext/tree.h"

namespace kd::nn {
struct Arguments;  // kd/nn/module/arguments.h
}

namespace kd::nn::detail {

// What is known about a module's type.
struct ModuleInfo {
  std::string_view type;  // "my::Mlp"
  std::string_view name;  // "Mlp": what unnamed modules are called after
  konfig::TypeOf fields;  // its fields, among which named modules are found
};

// How a call knows which module it is. An object is the same module each time it is called; a
// temporary is a new one each time.
struct Identity {
  const void* object = nullptr;
  bool temporary = false;
  const std::string* name = nullptr;  // given by `named`; "": the scope of the parent
};

// Set while modules are called: told when a module object dies, so that a new one at its address
// is not taken for it.
using OnDestroy = void (*)(const void* object);
extern constinit thread_local OnDestroy on_destroy;

// Set while calls are listed, by a CallList (kd/nn/engine/summary.h).
extern constinit thread_local bool listing_calls;
// Adds the innermost call to the list.
void list_call(const Arguments& inputs);

struct Scope;

// Alive during one call.
struct Frame {
  Frame(const ModuleInfo& info, const Identity& identity);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  bool recording() const;
  void record(kontext::TreeRef output);
  // In a catch block: throws on, with the module's path in front of the message.
  [[noreturn]] void rethrow() const;

  struct Local {
    const void* object;
    std::string_view type;
    Scope* scope;
  };

  const ModuleInfo& info;
  const void* object;
  Frame* parent;
  Scope* scope = nullptr;
  std::string shared_as = {};      // field of the parent whose scope it shares
  std::size_t listed = 0;          // place in the list of calls, from 1; 0: not there
  std::vector<Local> locals = {};  // unnamed objects called so far
  std::vector<std::pair<std::string_view, int>> counts = {};  // of automatic names, by type
};

}  // namespace kd::nn::detail
