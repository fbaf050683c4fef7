// Trees as JSON: null is None, a text is the name of a tensor; dicts, lists, records and texts are
// objects with one entry of that name.
#include "kd/ckpts/files_impl.h"
#include "kontext/part.h"

namespace kd::ckpts {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

namespace {

std::string child_path(const std::string& path, const Tree& tree, std::size_t i) {
  if (!tree.has_names()) return path + "[" + std::to_string(i) + "]";
  const std::string part = kontext::Part(tree.name(i)).str();
  return path.empty() || part.front() == '[' ? path + part : path + "." + part;
}

Value describe(const Tree& tree, const std::string& path, io::TensorMap& tensors) {
  if (tree.is_none()) return {};
  if (tree.is_tensor()) {
    tensors.emplace(path, tree.tensor());
    return path;
  }
  if (tree.kind() == Tree::Kind::texts) {
    List texts;
    for (const std::string& text : tree.texts()) texts.push_back(text);
    return Dict{{"texts", texts}};
  }
  if (tree.kind() == Tree::Kind::list) {
    List items;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      items.push_back(describe(tree.child(i), child_path(path, tree, i), tensors));
    }
    return Dict{{"list", items}};
  }
  Dict items;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    items.set(tree.name(i), describe(tree.child(i), child_path(path, tree, i), tensors));
  }
  if (tree.kind() == Tree::Kind::dict) return Dict{{"dict", items}};
  return Dict{{"record", std::string(tree.type())}, {"fields", items}};
}

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::value, what); }

Tree build(const Value& structure, const io::TensorMap& tensors, int depth) {
  if (depth > konfig::kMaxDepth) fail("the tree is nested too deep");
  if (structure.is_none()) return {};
  if (auto* name = structure.get_if<std::string>()) {
    auto found = tensors.find(*name);
    if (found == tensors.end()) fail("the tensor '" + *name + "' is missing");
    return found->second;
  }
  auto* dict = structure.get_if<Dict>();
  if (!dict || dict->size() == 0) fail("the tree has an unknown part " + structure.repr());
  auto items_of = [&](const Value& items) {
    Tree::Items out;
    for (auto& [name, item] : items.as<Dict>()) {
      out.emplace_back(name.as<std::string>(), build(item, tensors, depth + 1));
    }
    return out;
  };
  if (auto* items = dict->find("dict")) return Tree::dict(items_of(*items));
  if (auto* type = dict->find("record")) {
    return Tree::record(type->as<std::string>(), items_of(dict->at("fields")));
  }
  if (auto* items = dict->find("list")) {
    std::vector<Tree> out;
    for (const Value& item : items->as<List>()) out.push_back(build(item, tensors, depth + 1));
    return Tree::list(std::move(out));
  }
  if (auto* items = dict->find("texts")) {
    Tree::Texts out;
    for (const Value& item : items->as<List>()) out.push_back(item.as<std::string>());
    return Tree(std::move(out));
  }
  fail("the tree has an unknown part " + structure.repr());
}

}  // namespace

Value structure_of(const Tree& tree, io::TensorMap& tensors) { return describe(tree, "", tensors); }

Tree tree_of(const Value& structure, const io::TensorMap& tensors) {
  return build(structure, tensors, 0);
}

}  // namespace kd::ckpts
