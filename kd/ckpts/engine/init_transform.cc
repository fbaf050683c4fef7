// Transforms of the initial state, and those that take values from another run's checkpoint.
#include "kd/ckpts/engine/init_transform.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/join.h"
#include "base/shape_text.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/ops.h"
#include "kd/optim/combine.h"
#include "konfig/suggest.h"
#include "kontext/path.h"

namespace kd::ckpts {

using konfig::Error;
using konfig::ErrorKind;

namespace {

enum class Phase { before_optimizer, after_optimizer };

bool belongs_to(Phase phase, const std::string& place) {
  const kontext::Path path = kontext::Path::parse(place);
  const bool optimizer = path.starts_with(kontext::Path{"opt_state"});
  return optimizer == (phase == Phase::after_optimizer);
}

// The other run's checkpoint; its folder is only read.
Tree restored(const std::string& workdir, int step) {
  Manager manager(Checkpointer{.save_interval_steps = 1}, workdir, /*read_only=*/true);
  return manager.restore(step < 0 ? std::optional<std::int64_t>() : step).state;
}

// The subtree at a path of names and positions.
Tree& subtree(Tree& tree, const std::string& place, const std::string& of) {
  Tree* at = &tree;
  for (const kontext::Part& part : kontext::Path::parse(place)) {
    Tree* next = nullptr;
    if (auto* name = part.text()) next = at->find(*name);
    if (auto i = part.index(); !next && i && at->kind() == Tree::Kind::list && *i >= 0 &&
                               *i < static_cast<std::int64_t>(at->size())) {
      next = &at->child(static_cast<std::size_t>(*i));
    }
    if (!next) {
      std::vector<std::string> names;
      for (std::size_t i = 0; at->has_names() && i < at->size(); ++i) names.push_back(at->name(i));
      throw Error(ErrorKind::key, "'" + place + "' is not in " + of + ": there is no '" +
                                      part.name() + "'; there are: " + base::join(names, ", ") +
                                      konfig::did_you_mean(part.name(), names));
    }
    at = next;
  }
  return *at;
}

bool matches(const std::vector<kontext::Part>& path, std::size_t at,
             const std::vector<kontext::Part>& glob, std::size_t from) {
  if (from == glob.size()) return at == path.size();
  const auto wildcard = glob[from].wildcard();
  if (wildcard == kontext::Wildcard::any) {
    for (std::size_t next = at; next <= path.size(); ++next) {
      if (matches(path, next, glob, from + 1)) return true;
    }
    return false;
  }
  if (at == path.size()) return false;
  const bool fits = wildcard == kontext::Wildcard::one || path[at] == glob[from];
  return fits && matches(path, at + 1, glob, from + 1);
}

bool is_ignored(const std::string& path, const std::vector<std::string>& globs) {
  const kontext::Path place = kontext::Path::parse(path);
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return matches(place.parts(), 0, kontext::GlobPath::parse(glob).parts(), 0);
  });
}

// Up to five of them.
std::string list_text(const std::vector<std::string>& paths) {
  const std::string out = base::join(std::span(paths).first(std::min<std::size_t>(paths.size(), 5)),
                                     ", ", [](auto& path) { return "'" + path + "'"; });
  return out + (paths.size() > 5 ? " and " + std::to_string(paths.size() - 5) + " more" : "");
}

struct Places {
  std::string to, from;  // of the subtrees, for messages
  const std::vector<std::string>&may_keep, &may_drop;
};

// The values of `from` at the places of `to`, whose structure stays.
void copy_values(Tree& to, const Tree& from, const Places& places) {
  std::map<std::string, Tensor> values;
  for (auto& [path, tensor] : flatten(from)) values.emplace(path, tensor);
  std::vector<std::string> missing;
  to = map_with_path(to, [&](const std::string& path, const Tensor& old) -> Tensor {
    auto found = values.find(path);
    if (found == values.end()) {
      if (!is_ignored(path, places.may_keep)) missing.push_back(path);
      return old;
    }
    const Tensor value = found->second;
    values.erase(found);
    if (value.sizes() != old.sizes()) {
      throw Error(ErrorKind::value, konfig::join_path(places.to, path) + ": the shape is " +
                                        base::shape_text(old.sizes()) +
                                        ", that of the checkpoint's '" +
                                        konfig::join_path(places.from, path) + "' is " +
                                        base::shape_text(value.sizes()));
    }
    return value.to(old.options());
  });
  std::vector<std::string> extra;
  for (auto& [path, tensor] : values) {
    if (!is_ignored(path, places.may_drop)) extra.push_back(path);
  }
  if (missing.empty() && extra.empty()) return;
  std::string text =
      "the checkpoint's '" + places.from + "' does not fit the state's '" + places.to + "':";
  if (!missing.empty()) {
    text += "\n  not in the checkpoint: " + list_text(missing) + " (ignore_model_keys allows it)";
  }
  if (!extra.empty()) {
    text += "\n  only in the checkpoint: " + list_text(extra) + " (ignore_restored_keys allows it)";
  }
  throw Error(ErrorKind::value, text);
}

Tree load(const PartialKauldronLoader& loader, Tree state, Phase phase) {
  std::optional<Tree> source;
  for (auto& [to, from] : loader.new_to_old) {
    if (!belongs_to(phase, to)) continue;
    if (!source) source = restored(*loader.workdir, loader.step);
    Tree& target = subtree(state, to, "the state");
    copy_values(target, subtree(*source, from, "the checkpoint"),
                {to, from, loader.ignore_model_keys, loader.ignore_restored_keys});
  }
  return state;
}

PartialKauldronLoader as_partial(const SimpleCheckpointLoader& loader) {
  PartialKauldronLoader out{.workdir = *loader.workdir, .step = loader.step};
  if (loader.load_opt_state) out.new_to_old["opt_state"] = "opt_state";
  return out;
}

template <class F>
Tree apply_all(const MultiTransform& all, Tree state, const F& apply) {
  for (auto& [name, one] : all.transforms) {
    try {
      state = apply(one, std::move(state));
    } catch (const Error& error) {
      throw error.within(name);
    }
  }
  return state;
}

}  // namespace

Tree transform(const Poly<InitTransform>& transform, Tree state) {
  if (!transform) return state;
  return ops_of<InitTransform>(transform).transform(transform.object().get(), std::move(state));
}

Tree transform_after_optimizer(const Poly<InitTransform>& transform, Tree state) {
  if (!transform) return state;
  return ops_of<InitTransform>(transform).after_optimizer(transform.object().get(),
                                                          std::move(state));
}

Tree NoopTransform::transform(Tree state) const { return state; }

Tree PartialKauldronLoader::transform(Tree state) const {
  return load(*this, std::move(state), Phase::before_optimizer);
}
Tree PartialKauldronLoader::transform_after_optimizer(Tree state) const {
  return load(*this, std::move(state), Phase::after_optimizer);
}

Tree SimpleCheckpointLoader::transform(Tree state) const {
  return as_partial(*this).transform(std::move(state));
}
Tree SimpleCheckpointLoader::transform_after_optimizer(Tree state) const {
  return as_partial(*this).transform_after_optimizer(std::move(state));
}

Tree PartialCLULoader::transform(Tree) const {
  throw Error(ErrorKind::unsupported,
              "PartialCLULoader reads " + *ckpt_dir +
                  " with JAX, which is not here; save the parameters there with "
                  "flax.serialization.to_bytes, make a run of them with `kd ckpt import FILE "
                  "WORKDIR`, and use PartialKauldronLoader");
}

Tree MultiTransform::transform(Tree state) const {
  return apply_all(*this, std::move(state), ckpts::transform);
}
Tree MultiTransform::transform_after_optimizer(Tree state) const {
  return apply_all(*this, std::move(state), ckpts::transform_after_optimizer);
}

}  // namespace kd::ckpts
