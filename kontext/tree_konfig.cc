// konfig's dynamic values as trees. Lookups borrow from the config's own storage, hence
// node.h.
#include "kontext/tree_konfig.h"

#include "konfig/node.h"
#include "kontext/tree.h"

namespace kontext::detail {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Node;
using konfig::Reference;
using konfig::Tuple;
using konfig::Value;

// The config that everything below was reached through: it keeps references alive.
const ConfigDict* root_of(const TreeRef& self) {
  return static_cast<const ConfigDict*>(self.context());
}

// A value that is nowhere stored, such as that of a reference. What it leads to can be written.
TreeRef handle(Value value, const ConfigDict* root) {
  auto owner = std::make_shared<const Value>(std::move(value));
  return value_ref(*owner, root).with_owner(owner);
}

// ---- Sequences.

template <class S>
TreeRef sequence_item(const TreeRef& self, const Part& part) {
  const S& items = object<S>(self);
  if (auto index = part.index()) {
    auto at = position(*index, items.size());
    return at ? value_ref(items[*at], root_of(self)) : TreeRef();
  }
  auto* slice = part.value().get_if<Slice>();
  if (!slice) return {};
  auto [start, step, count] = range_of(*slice, items.size());
  std::vector<Value> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(items[static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * step)]);
  }
  return TreeRef::own(Value(S(std::move(out))));
}

template <class S>
bool each_in_sequence(const TreeRef& self, const Visit& visit) {
  const S items =
      object<S>(self);  // the handle keeps the storage while `visit` may change the tree
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (visit(Part(i), value_ref(items[i], root_of(self)))) return true;
  }
  return false;
}

void set_in_list(const TreeRef& self, const Part& part, const TreeRef& value) {
  List list = object<List>(self);
  auto index = part.index();
  auto at = index ? position(*index, list.size()) : std::nullopt;
  if (!at) fail_no_index(self, part);
  // A list inside a config holds what a config holds: nodes, not plain maps.
  Value fresh = value.value();
  list.set(*at, root_of(self) ? konfig::detail::normalise(fresh, part.str()) : fresh);
}

template <class T>
Value value_of(const TreeRef& self) {
  return object<T>(self);
}

// ---- Dict.

// Text equals text only, so a small dict needs no general comparison; a large one has an index.
const Value* find_in_dict(const Dict& dict, const Part& part) {
  constexpr std::size_t kSmall = 16;
  const std::string* text = part.text();
  if (!text || dict.size() > kSmall) return dict.find(part.value());
  for (auto& [key, value] : dict) {
    if (auto* name = key.get_if<std::string>(); name && *name == *text) return &value;
  }
  return nullptr;
}

TreeRef dict_item(const TreeRef& self, const Part& part) {
  const Value* found = find_in_dict(object<Dict>(self), part);
  return found ? value_ref(*found, root_of(self)) : TreeRef();
}

bool each_in_dict(const TreeRef& self, const Visit& visit) {
  const Dict dict = object<Dict>(self);
  for (auto& [key, value] : dict) {
    if (visit(Part(key), value_ref(value, root_of(self)))) return true;
  }
  return false;
}

void set_in_dict(const TreeRef& self, const Part& part, const TreeRef& value) {
  const Dict& dict = object<Dict>(self);
  if (dict.frozen) throw Error(ErrorKind::unsupported, "the dict is immutable");
  Dict(dict).set(part.value(), value.value());
}

// ---- ConfigDict.

const Node::Entry* find_entry(const Node& node, const Part& part) {
  if (auto* text = part.text(); text && !text->starts_with("__raw__=")) return node.find(*text);
  if (part.value().is<std::int64_t>() && node.is_call()) {
    auto at = position(part.value().as<std::int64_t>(), node.num_args());
    return at ? node.find(std::to_string(*at)) : nullptr;
  }
  try {
    return node.find(konfig::detail::encode_key(part.value()));
  } catch (const Error&) {
    return nullptr;  // no key of a config
  }
}

TreeRef entry_ref(const TreeRef& self, const Node& node, const Node::Entry& entry) {
  const ConfigDict* root = root_of(self);
  if (!entry.value.is<Reference>()) return value_ref(entry.value, root);
  return handle(Node::handed_out(node.read(entry), *root), root);
}

TreeRef config_item(const TreeRef& self, const Part& part) {
  const Node& node = *Node::of(object<ConfigDict>(self));
  const Node::Entry* entry = find_entry(node, part);
  return entry ? entry_ref(self, node, *entry) : TreeRef();
}

bool each_in_config(const TreeRef& self, const Visit& visit) {
  auto node = Node::of(object<ConfigDict>(self));
  for (std::size_t i = 0; i < node->entries.size(); ++i) {
    const Node::Entry& entry = node->entries[i];
    if (visit(Part(konfig::detail::decode_key(entry.key)), entry_ref(self, *node, entry))) {
      return true;
    }
  }
  return false;
}

Value config_value(const TreeRef& self) {
  const ConfigDict& config = object<ConfigDict>(self);
  const ConfigDict* root = root_of(self);
  return root == &config ? Value(config) : Node::handed_out(config, *root);
}

struct RefMaker {
  const ConfigDict* root;
  TreeRef operator()(const List& list) const { return TreeRef(&list, &kListOps, root); }
  TreeRef operator()(const Tuple& tuple) const { return TreeRef(&tuple, &kTupleOps, root); }
  TreeRef operator()(const Dict& dict) const { return TreeRef(&dict, &kDictOps, root); }
  TreeRef operator()(const ConfigDict& config) const {
    return TreeRef(&config, &kConfigOps, root ? root : &config);
  }
  TreeRef operator()(const Reference& reference) const { return handle(reference.get(), root); }
  template <class Leaf>
  TreeRef operator()(const Leaf& leaf) const {
    return TreeRef::of(leaf);
  }
};

}  // namespace

const TreeOps kListOps = {.type = konfig::type_name<List>,
                          .spoken = "list",
                          .shape = Shape::list,
                          .item = sequence_item<List>,
                          .each = each_in_sequence<List>,
                          .value = value_of<List>,
                          .set = set_in_list};
const TreeOps kTupleOps = {.type = konfig::type_name<Tuple>,
                           .spoken = "tuple",
                           .shape = Shape::tuple,
                           .item = sequence_item<Tuple>,
                           .each = each_in_sequence<Tuple>,
                           .value = value_of<Tuple>};
const TreeOps kDictOps = {.type = konfig::type_name<Dict>,
                          .spoken = "dict",
                          .shape = Shape::map,
                          .item = dict_item,
                          .each = each_in_dict,
                          .value = value_of<Dict>,
                          .set = set_in_dict};
const TreeOps kConfigOps = {
    .type = konfig::type_name<ConfigDict>,
    .spoken = "ConfigDict",
    .shape = Shape::map,
    .item = config_item,
    .attribute = [](const TreeRef& self,
                    const std::string& name) { return config_item(self, Part(name)); },
    .each = each_in_config,
    .value = config_value,
    .set =
        [](const TreeRef& self, const Part& part, const TreeRef& value) {
          ConfigDict(object<ConfigDict>(self)).set(part.value(), value.value());
        }};

TreeRef config_ref(const ConfigDict& config) { return TreeRef(&config, &kConfigOps, &config); }

TreeRef value_ref(const Value& value, const ConfigDict* root) {
  return std::visit(RefMaker{root}, value.variant());
}

TreeRef text_item(const std::string& text, const Part& part) {
  auto* slice = part.value().get_if<Slice>();
  if (!slice && !part.index()) return {};
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    characters.push_back(std::string_view(text).substr(at, end - at));
    at = end;
  }
  std::string out;
  if (slice) {
    auto [start, step, count] = range_of(*slice, characters.size());
    for (std::size_t i = 0; i < count; ++i) {
      out += characters[static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * step)];
    }
    return TreeRef::own(std::move(out));
  }
  auto at = position(*part.index(), characters.size());
  return at ? TreeRef::own(std::string(characters[*at])) : TreeRef();
}

}  // namespace kontext::detail
