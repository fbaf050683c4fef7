// Models that start from the weights of others.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/number_in.h"
#include "base/shape_text.h"
#include "kd/ckpts/engine/init_transform.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/ops.h"
#include "kd/io/safetensors.h"
#include "kd/problems/storage.h"
#include "konfig/error.h"

namespace kd::problems {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

using Weights = std::map<std::string, Tensor>;

// Of a run, or of one of its checkpoints: parameters and collections by path.
Weights of_checkpoint(const fs::path& run, std::optional<std::int64_t> step) {
  ckpts::Manager manager(ckpts::Checkpointer{.save_interval_steps = 1}, run, /*read_only=*/true);
  const Tree state = manager.restore(step).state;
  Weights out;
  for (auto& [path, tensor] : flatten(state.at("params"))) out["params." + path] = tensor;
  if (const Tree* collections = state.find("collections")) {
    for (auto& [path, tensor] : flatten(*collections)) out[path] = tensor;
  }
  return out;
}

Weights of_file(const fs::path& file) {
  const io::TensorMap tensors = io::load_safetensors(file.string());
  return {tensors.begin(), tensors.end()};
}

std::optional<std::int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  constexpr std::string_view kPrefix = "ckpt_";
  if (!name.starts_with(kPrefix)) return {};
  return base::number_in<std::int64_t>(name.substr(kPrefix.size()));
}

Weights read(const fs::path& path) {
  if (fs::is_regular_file(path)) return of_file(path);
  if (fs::exists(path / "params.safetensors")) return of_file(path / "params.safetensors");
  if (fs::exists(path / "manifest.json") && step_of(path)) {
    return of_checkpoint(path.parent_path().parent_path(), step_of(path));
  }
  if (fs::is_directory(path / "checkpoints")) return of_checkpoint(path, {});
  throw Error(ErrorKind::value,
              path.string() +
                  (fs::exists(path)
                       ? " holds no weights: expected .safetensors, the folder of a run or of a "
                         "checkpoint, or a saved model"
                       : " does not exist"));
}

Weights load(const ModelWeights& self) {
  try {
    return read(*self.path);
  } catch (const Error& e) {
    throw e.within(self.given_by);
  }
}

bool is_below(const std::string& path, const std::string& part) {
  return part.empty() || path == part || path.starts_with(part + ".");
}

std::string after(const std::string& path, const std::string& part) {
  if (part.empty()) return path;
  return path.substr(std::min(path.size(), part.size() + 1));
}

// Without the names of modules that only wrap the model.
std::string core_name(std::string path) {
  while (path.starts_with("model.")) path.erase(0, 6);
  return path;
}

// By group, "params" or the name of a collection, and by name in it.
std::map<std::string, Weights> by_group(const Weights& weights, const Tree& collections) {
  std::map<std::string, Weights> out;
  for (auto& [path, tensor] : weights) {
    const std::string first = path.substr(0, path.find('.'));
    const bool named = first == "params" || collections.contains(first);
    out[named ? first : "params"][core_name(named ? after(path, first) : path)] = tensor;
  }
  return out;
}

// The values of one group of variables.
Tree filled(const ModelWeights& self, const Tree& variables, const Weights& given) {
  auto fail = [&](const std::string& text) {
    throw Error(ErrorKind::value, self.given_by,
                *self.path + ": " + text + "; it has the weights of another model");
  };
  return map_with_path(variables, [&](const std::string& place, const Tensor& old) -> Tensor {
    if (!is_below(place, self.part)) return old;
    const std::string name = core_name(after(place, self.part));
    if (std::ranges::any_of(self.without, [&](auto& layer) { return is_below(name, layer); })) {
      return old;
    }
    const auto found = given.find(name);
    if (found == given.end()) fail("there is no '" + name + "', which the model has");
    if (found->second.sizes() != old.sizes()) {
      fail("'" + name + "' is " + base::tuple_text(found->second.sizes()) + ", that of the model " +
           base::tuple_text(old.sizes()));
    }
    return found->second.to(old.options());
  });
}

}  // namespace

Tree ModelWeights::transform(Tree state) const {
  Tree none = Tree::dict();
  Tree* collections = state.find("collections");
  if (!collections || collections->is_none()) collections = &none;
  auto given = by_group(load(*this), *collections);
  state.at("params") = filled(*this, state.at("params"), given["params"]);
  for (std::size_t i = 0; i < collections->size(); ++i) {
    collections->child(i) = filled(*this, collections->child(i), given[collections->name(i)]);
  }
  return state;
}

}  // namespace kd::problems
