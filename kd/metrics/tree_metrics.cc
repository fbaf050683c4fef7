// TreeMap and TreeReduce: a metric of each leaf of a tree.
#include <algorithm>

#include "base/join.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/state_tree_impl.h"
#include "kd/metrics/wrappers.h"
#include "kontext/filter.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;
using kontext::GlobPath;
using kontext::Part;
using kontext::Resolved;
using kontext::ResolvedKeys;
using kontext::Selection;
using kontext::Shape;
using kontext::TreeRef;

namespace {

// What a key leads to, cut down to what its pattern names. No branch without leaves.
struct Branch {
  TreeRef leaf = {};
  bool is_list = false;
  std::vector<std::pair<Part, Branch>> children = {};

  bool empty() const { return !leaf && children.empty(); }
};

Branch cut(const TreeRef& tree, const Selection& chosen) {
  if (tree.shape() == Shape::none || chosen.empty()) return {};
  if (!tree.is_container()) return {.leaf = tree};
  Branch out{.is_list = tree.shape() == Shape::list || tree.shape() == Shape::tuple};
  tree.each([&](const Part& part, const TreeRef& child) {
    const Selection* inner = chosen.all ? &chosen : chosen.find(part);
    Branch branch = inner ? cut(child, *inner) : Branch();
    if (!branch.empty()) out.children.emplace_back(part, std::move(branch));
    return false;
  });
  if (tree.shape() == Shape::map) {
    std::ranges::sort(out.children, {}, [](auto& child) { return child.first.str(); });
  }
  return out;
}

// "params.**.bias" as what is looked up in a context, "params", and the rest, "**.bias".
struct Pattern {
  kontext::Path place;
  GlobPath rest;
};

Pattern parse(const konfig::Value& key) {
  auto* text = key.get_if<std::string>();
  if (!text) {
    throw Error(ErrorKind::type, "a metric over trees has single keys, no lists of keys");
  }
  GlobPath glob = GlobPath::parse(*text);
  kontext::Path place = glob.first_non_glob_parent();
  return {place, glob.relative_to(GlobPath(place))};
}

struct Argument {
  std::string name;
  Branch tree;
};

// The trees that the keys of the metric name, at least one of them with leaves.
std::vector<Argument> arguments(const Poly<Metric>& metric, const ResolvedKeys& inputs) {
  std::vector<Argument> out;
  std::vector<std::string> looked_for;
  for (auto& [name, key] : keypaths(metric)) {
    const Resolved* found = key.is_none() ? nullptr : inputs.find(name.as<std::string>());
    if (!found) continue;
    GlobPath rest = parse(key).rest;
    Selection chosen =
        rest.empty() ? Selection{.all = true} : kontext::select_by_path(found->found, rest);
    looked_for.push_back(name.as<std::string>() + " = '" + key.as<std::string>() + "'");
    Branch tree = cut(found->found, chosen);
    if (!tree.empty()) out.push_back({name.as<std::string>(), std::move(tree)});
  }
  if (out.empty()) {
    throw Error(ErrorKind::key, "no tensor matches " + base::join(looked_for, ", ") +
                                    "; look at the context's names");
  }
  return out;
}

// The trees of all arguments are walked side by side.
StateTree map_leaves(const Poly<Metric>& metric, const std::vector<std::string>& names,
                     const std::vector<const Branch*>& branches) {
  const Branch& first = *branches[0];
  if (first.leaf) {
    std::vector<std::pair<std::string, Resolved>> inputs;
    for (std::size_t i = 0; i < names.size(); ++i) {
      inputs.emplace_back(names[i], Resolved{.found = branches[i]->leaf});
    }
    return {.leaf = get_state(metric, ResolvedKeys(std::move(inputs)))};
  }
  StateTree out{.is_list = first.is_list};
  for (std::size_t c = 0; c < first.children.size(); ++c) {
    std::vector<const Branch*> next;
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto& children = branches[i]->children;
      if (children.size() != first.children.size() ||
          children[c].first != first.children[c].first ||
          !children[c].second.leaf != !first.children[c].second.leaf) {
        throw Error(ErrorKind::value, "the trees of '" + names[0] + "' and '" + names[i] +
                                          "' have different structures at " +
                                          first.children[c].first.str());
      }
      next.push_back(&children[c].second);
    }
    out.children.emplace_back(first.children[c].first.name(), map_leaves(metric, names, next));
  }
  return out;
}

StateTree map_tree(const Poly<Metric>& metric, const ResolvedKeys& inputs) {
  std::vector<Argument> args = arguments(metric, inputs);
  std::vector<std::string> names;
  std::vector<const Branch*> trees;
  for (auto& [name, tree] : args) {
    names.push_back(name);
    trees.push_back(&tree);
  }
  return map_leaves(metric, names, trees);
}

kontext::KeyPaths places(const Poly<Metric>& metric) {
  kontext::KeyPaths out;
  for (auto& [name, key] : keypaths(metric)) {
    bool set = !key.is_none() && key != konfig::Value(std::string(Key::kRequired));
    out.set(name, set ? konfig::Value(parse(key).place.str()) : key);
  }
  return out;
}

}  // namespace

State TreeMap::get_state(const ResolvedKeys& inputs) const {
  return TreeState{map_tree(*metric, inputs)};
}
State TreeMap::empty() const { return TreeState{}; }
kontext::KeyPaths TreeMap::kontext_keys() const { return places(*metric); }

State TreeReduce::get_state(const ResolvedKeys& inputs) const {
  return map_tree(*metric, inputs).merged_into(metrics::empty(*metric));
}
State TreeReduce::empty() const { return metrics::empty(*metric); }
kontext::KeyPaths TreeReduce::kontext_keys() const { return places(*metric); }

}  // namespace kd::metrics
