// The roots of keys.
#include "kd/train/engine/context.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/join.h"
#include "konfig/error.h"
#include "konfig/suggest.h"
#include "kontext/flatten.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;
using kontext::TreeRef;

namespace {

constexpr std::array<std::string_view, 15> kRoots = {
    "step",      "batch",       "params",     "collections",   "preds",
    "interms",   "loss_states", "loss_total", "grads",         "updates",
    "opt_state", "subgrads",    "subupdates", "metric_states", "summary_states"};

// Spellings that look right, and what they are called.
const std::map<std::string_view, std::string_view> kMeant = {
    {"intermediates", "interms"},
    {"interm", "interms"},
    {"grad", "grads"},
    {"gradients", "grads"},
    {"update", "updates"},
    {"pred", "preds"},
    {"outputs", "preds"},
    {"predictions", "preds"},
    {"param", "params"},
    {"losses", "loss_states"},
    {"loss", "loss_total"},
    {"metrics", "metric_states"},
    {"summaries", "summary_states"},
    {"batch_stats", "collections.batch_stats"}};

TreeRef states_ref(const NamedStates* states) {
  if (!states) return {};
  Tree out = Tree::dict();
  for (auto& [name, state] : *states) out[name] = state.tree();
  return TreeRef::own(std::move(out));
}

}  // namespace

std::span<const std::string_view> context_roots() { return kRoots; }

void add_roots(std::vector<std::string>& roots, const kontext::KeyPaths& keys) {
  for (auto& [path, leaf] : kontext::flatten_with_path(keys)) {
    auto* key = leaf.get_if<std::string>();
    if (!key || *key == Key::kRequired) continue;
    const std::string root = key->substr(0, key->find_first_of(".["));
    if (std::ranges::find(kRoots, root) == kRoots.end()) {
      std::vector<std::string> known(kRoots.begin(), kRoots.end());
      auto meant = kMeant.find(root);
      const std::string hint = meant == kMeant.end()
                                   ? konfig::did_you_mean(root, known)
                                   : "; did you mean '" + std::string(meant->second) + "'?";
      throw Error(ErrorKind::key, path.str(),
                  "the key '" + *key + "' starts with '" + root + "', which is no part of a step" +
                      hint + " (there are: " + base::join(kRoots, ", ") + ")");
    }
    if (std::ranges::find(roots, root) == roots.end()) roots.push_back(root);
  }
}

Tree to_tree(const Context& context) {
  Tree out;
  kontext::TreeTraits<Tree>::assign(out, context);
  return out;
}

}  // namespace kd::train

namespace kontext {

using kd::train::Context;

TreeRef TreeTraits<Context>::item(const Context& context, const Part& part) {
  const std::string* name = part.text();
  if (!name) return {};
  if (*name == "step") return TreeRef::of(context.step);
  if (*name == "batch") return context.batch;
  if (*name == "params") return context.params;
  if (*name == "collections") return context.collections;
  if (*name == "preds") return context.preds;
  if (*name == "interms") return context.interms;
  if (*name == "loss_states") return kd::train::states_ref(context.loss_states);
  if (*name == "loss_total") {
    return context.loss_total.defined() ? TreeRef::of(context.loss_total) : TreeRef();
  }
  if (*name == "grads") return context.grads;
  if (*name == "updates") return context.updates;
  if (*name == "opt_state") return context.opt_state;
  if (*name == "subgrads") return context.subgrads;
  if (*name == "subupdates") return context.subupdates;
  if (*name == "metric_states") return kd::train::states_ref(context.metric_states);
  if (*name == "summary_states") return kd::train::states_ref(context.summary_states);
  return {};
}

bool TreeTraits<Context>::each(const Context& context, const Visit& visit) {
  for (std::string_view root : kd::train::context_roots()) {
    Part part{std::string(root)};
    TreeRef child = item(context, part);
    if (child && visit(part, child)) return true;
  }
  return false;
}

}  // namespace kontext
