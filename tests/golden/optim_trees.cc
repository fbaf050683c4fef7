// Trees of the optim cases.
#include <stdexcept>

#include "tests/golden/optim_case.h"

namespace golden {

using kd::Tree;

namespace {

// "heads[0].kernel" to "heads", "[0]", "kernel".
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> out;
  std::string part;
  auto flush = [&] {
    if (!part.empty()) out.push_back(part);
    part.clear();
  };
  for (char c : path) {
    if (c == '.' || c == '[') flush();
    if (c != '.') part += c;
  }
  flush();
  return out;
}

void put(Tree& tree, const std::vector<std::string>& parts, std::size_t i, const kd::Tensor& leaf) {
  if (i == parts.size()) {
    tree = leaf;
    return;
  }
  if (parts[i].front() != '[') return put(tree[parts[i]], parts, i + 1, leaf);
  const auto index = static_cast<std::size_t>(std::stoul(parts[i].substr(1)));
  while (tree.size() <= index) tree.push_back(Tree());
  put(tree.child(index), parts, i + 1, leaf);
}

void collect(const Tree& tree, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (tree.kind() == Tree::Kind::record || tree.kind() == Tree::Kind::list) {
    out.emplace_back(path, tree.type());
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string part = tree.has_names() ? tree.name(i) : "[" + std::to_string(i) + "]";
    const bool dot = tree.has_names() && !path.empty();
    collect(tree.child(i), path + (dot ? "." : "") + part, out);
  }
}

}  // namespace

Tree tree_of(const Tensors& tensors, const std::string& prefix,
             const std::vector<std::string>& paths, std::int64_t step) {
  Tree out = Tree::dict();
  if (paths.size() == 1 && paths[0].empty()) out = Tree();
  for (const std::string& path : paths) {
    auto found = tensors.find(prefix + "/" + path);
    if (found == tensors.end()) throw std::runtime_error("no tensor " + prefix + "/" + path);
    put(out, parts_of(path), 0, step < 0 ? found->second : found->second.select(0, step));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> node_types(const Tree& tree) {
  std::vector<std::pair<std::string, std::string>> out;
  collect(tree, "", out);
  return out;
}

std::vector<std::string> texts(const konfig::Value& list) {
  std::vector<std::string> out;
  for (const konfig::Value& value : list.as<konfig::List>()) out.push_back(value.as<std::string>());
  return out;
}

}  // namespace golden
