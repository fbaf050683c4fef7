// Interms: the tree of recorded values.
#include "kd/nn/module/interms.h"

#include <algorithm>

namespace kd::nn {

namespace {
template <class Entries>
auto* find(Entries& entries, std::string_view name) {
  auto it = std::find_if(entries.begin(), entries.end(), [&](auto& e) { return e.first == name; });
  return it == entries.end() ? nullptr : &it->second;
}
}  // namespace

Interms& Interms::child(std::string_view module) {
  if (auto* found = find(children_, module)) return **found;
  return *children_.emplace_back(module, std::make_shared<Interms>()).second;
}

const Interms* Interms::find_child(std::string_view module) const {
  auto* found = find(children_, module);
  return found ? found->get() : nullptr;
}

const Interms::Values* Interms::find_values(std::string_view name) const {
  return find(values_, name);
}

void Interms::append(std::string_view name, kontext::TreeRef value) {
  auto* values = find(values_, name);
  if (!values) values = &values_.emplace_back(name, Values()).second;
  values->push_back(std::move(value));
}

}  // namespace kd::nn

namespace kontext {

TreeRef TreeTraits<kd::nn::Interms>::item(const kd::nn::Interms& node, const Part& part) {
  auto* name = part.text();
  if (!name) return {};
  if (auto* values = node.find_values(*name)) return TreeRef::of(*values);
  auto* child = node.find_child(*name);
  return child ? TreeRef::of(*child) : TreeRef();
}

bool TreeTraits<kd::nn::Interms>::each(const kd::nn::Interms& node, const Visit& visit) {
  for (auto& [name, values] : node.values()) {
    if (visit(Part(name), TreeRef::of(values))) return true;
  }
  for (auto& [name, child] : node.children()) {
    if (visit(Part(name), TreeRef::of(*child))) return true;
  }
  return false;
}

}  // namespace kontext
