// States as trees, and back.
#include "kd/train/engine/state.h"

#include <ATen/ops/full.h>

#include <map>
#include <sstream>

#include "kd/core/ops.h"
#include "konfig/error.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;

Tree to_tree(const TrainState& state) {
  Tree out = Tree::dict({{"step", at::full({}, state.step, at::kInt)},
                         {"params", state.params},
                         {"collections", state.collections},
                         {"opt_state", state.opt_state}});
  if (!state.step_state.is_none()) out["step_state"] = state.step_state;
  return out;
}

namespace {

const Tree& part(const Tree& tree, std::string_view name) {
  static const Tree none;
  const Tree* found = tree.find(name);
  return found ? *found : none;
}

std::string described(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor.scalar_type() << tensor.sizes();
  return out.str();
}

void list(std::string& out, const char* title, const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 8;
  if (paths.empty()) return;
  out += std::string("\n  ") + title + ":";
  for (std::size_t i = 0; i < paths.size() && i < kShown; ++i) out += " " + paths[i];
  if (paths.size() > kShown) out += " and " + std::to_string(paths.size() - kShown) + " more";
}

Tree filled(const Tree& structure, const Tree& values, const std::string& name) {
  std::map<std::string, Tensor> given;
  for (auto& [path, tensor] : flatten(values)) given.emplace(path, tensor);
  std::vector<Tensor> out;
  std::vector<std::string> missing;
  for (auto& [path, tensor] : flatten(structure)) {
    auto it = given.find(path);
    if (it == given.end()) {
      missing.push_back(path);
      continue;
    }
    const Tensor& value = it->second;
    if (value.sizes() != tensor.sizes() || value.scalar_type() != tensor.scalar_type()) {
      throw Error(ErrorKind::value, name + "." + path,
                  "the checkpoint has " + described(value) + ", this run's state " +
                      described(tensor) + "; was it saved with another model or optimizer?");
    }
    out.push_back(value);
    given.erase(it);
  }
  if (missing.empty() && given.empty()) return unflatten(structure, out);
  std::vector<std::string> extra;
  for (auto& [path, tensor] : given) extra.push_back(path);
  std::string text = "the checkpoint is of another structure than this run's state";
  list(text, "only in the checkpoint", extra);
  list(text, "only in this run", missing);
  throw Error(ErrorKind::value, name, text);
}

}  // namespace

TrainState from_tree(const Tree& tree) {
  TrainState state;
  state.step = tree.at("step").tensor().item<std::int64_t>();
  state.params = part(tree, "params");
  if (const Tree* found = tree.find("collections"); found && !found->is_none()) {
    state.collections = *found;
  }
  state.opt_state = part(tree, "opt_state");
  state.step_state = part(tree, "step_state");
  return state;
}

TrainState restored(const TrainState& state, const Tree& values) {
  TrainState out;
  out.step = values.at("step").tensor().item<std::int64_t>();
  out.params = filled(state.params, part(values, "params"), "params");
  out.collections = filled(state.collections, part(values, "collections"), "collections");
  if (!state.opt_state.is_none()) {
    out.opt_state = filled(state.opt_state, part(values, "opt_state"), "opt_state");
  }
  if (!state.step_state.is_none()) {
    out.step_state = filled(state.step_state, part(values, "step_state"), "step_state");
  }
  return out;
}

TrainState restored_from(const std::string& checkpoint, const TrainState& state,
                         const Tree& values) {
  try {
    return restored(state, values);
  } catch (const Error& e) {
    throw Error(e.kind(), "workdir",
                checkpoint + " does not fit this config. " +
                    (e.path().empty() ? "" : e.path() + ": ") + e.message() +
                    "\nAnother folder starts a new run.");
  }
}

}  // namespace kd::train
