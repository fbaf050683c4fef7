// From plain data to config nodes: nested maps become nodes, `__id__` restores sharing, registered
// defaults are merged in.
#include <unordered_map>

#include "konfig/node.h"
#include "konfig/print.h"
#include "konfig/registry.h"

namespace konfig {
namespace {

// Where a piece of the data stands; written out only when an error needs it.
struct DataPlace {
  const DataPlace* above = nullptr;
  std::string_view key = {};
  std::size_t index = 0;  // in a list, when `key` is empty

  std::string text() const {
    if (!above) return std::string(key);
    return join_path(above->text(),
                     key.data() ? std::string(key) : "[" + std::to_string(index) + "]");
  }
};

class Builder {
 public:
  Value value(const Value& v, const DataPlace& place) {
    if (auto* dict = v.get_if<Dict>()) return Node::handle(node(*dict, place));
    if (auto* list = v.get_if<List>()) return List(items(*list, place));
    if (auto* tuple = v.get_if<Tuple>()) return Tuple(items(*tuple, place));
    if (auto* set = v.get_if<Set>()) return Set(items(*set, place), set->frozen);
    if (v.is<Complex>() || v.is<Object>() || v.is<SymbolName>()) {
      throw Error(
          ErrorKind::value, place.text(),
          "a config holds plain data only (numbers, text, lists, other configs), "
          "not " +
              shorten(v.repr(), 40) +
              "; name an object by a call node (its registered name and arguments) instead");
    }
    return Node::stored(v);
  }

  std::shared_ptr<Node> node(const Dict& dict, const DataPlace& place) {
    detail::DepthGuard guard(depth_);
    auto* id = dict.find(std::string(kId));
    auto id_key = id ? id->repr() : std::string();
    if (id) {
      auto [it, fresh] = ids_.try_emplace(id_key, nullptr);
      if (!fresh && !it->second) {
        throw Error(ErrorKind::value, place.text(),
                    "__id__ " + id_key + " names a node that contains it");
      }
      if (!fresh) return it->second;
    }
    auto node = fill(dict, place);
    if (auto* name = node->find(kQualname)) {
      auto* text = name->value.get_if<std::string>();
      if (auto* defaults = text ? find_default_values(*text) : nullptr) {
        auto merged = defaults->copy();
        drop_other_types(merged, *node);
        merged.update(Node::handle(node));
        node = Node::of(merged);
      }
    }
    if (id) ids_[id_key] = node;
    return node;
  }

 private:
  // A field of another type than the default's has none of the default's fields.
  static void drop_other_types(const ConfigDict& defaults, const Node& given) {
    for (auto& entry : given.entries) {
      auto* node = entry.value.get_if<ConfigDict>();
      if (!node || !node->is_call() || !defaults.contains(entry.key)) continue;
      const Value there = defaults.get(entry.key);
      auto* other = there.get_if<ConfigDict>();
      if (!other || !other->is_call() || other->qualname() == node->qualname()) continue;
      ConfigDict emptied = *other;
      for (auto& key : other->keys()) emptied.erase(key);
    }
  }

  std::shared_ptr<Node> fill(const Dict& dict, const DataPlace& place) {
    auto node = std::make_shared<Node>();
    node->entries.reserve(dict.size());
    bool is_call = dict.find(std::string(kQualname)) != nullptr;
    for (auto& [k, v] : dict) {
      bool argument = is_call && k.is<std::int64_t>();
      auto key = argument ? std::to_string(k.as<std::int64_t>()) : detail::encode_key(k);
      if (key == kId) continue;
      auto child = value(v, DataPlace{&place, key});
      if (auto* entry = node->find(key)) {
        entry->value = std::move(child);
      } else {
        node->append(std::move(key), std::move(child));
      }
    }
    return node;
  }

  std::vector<Value> items(const Sequence& sequence, const DataPlace& place) {
    detail::DepthGuard guard(depth_);
    // Lists are copied at each place; aliases in a YAML file could make that endless.
    constexpr std::size_t kMaxItems = 4'000'000;
    items_ += sequence.size();
    if (items_ > kMaxItems)
      throw Error(ErrorKind::value, place.text(), "the lists of the config are too large");
    std::vector<Value> out;
    out.reserve(sequence.size());
    for (auto& v : sequence) out.push_back(value(v, DataPlace{&place, {}, out.size()}));
    return out;
  }

  int depth_ = 0;
  std::size_t items_ = 0;
  std::unordered_map<std::string, std::shared_ptr<Node>> ids_;  // nullptr: under construction
};

Dict dict_of(std::initializer_list<std::pair<std::string_view, Value>> entries) {
  Dict dict;
  for (auto& [k, v] : entries) dict.set(k, v);
  return dict;
}

}  // namespace

namespace detail {
Value normalise(const Value& value, const std::string& path) {
  return Builder().value(value, DataPlace{.key = path});
}
}  // namespace detail

ConfigDict::ConfigDict() : node_(std::make_shared<Node>()) {}
ConfigDict::ConfigDict(const Dict& data) : node_(Builder().node(data, DataPlace{})) {}
ConfigDict::ConfigDict(std::initializer_list<std::pair<std::string_view, Value>> entries)
    : ConfigDict(dict_of(entries)) {}

ConfigDict call(std::string_view qualname, std::vector<Value> args,
                std::initializer_list<std::pair<std::string_view, Value>> kwargs) {
  Dict dict;
  dict.set(kQualname, qualname);
  for (std::size_t i = 0; i < args.size(); ++i) dict.set(std::to_string(i), std::move(args[i]));
  for (auto& [k, v] : kwargs) dict.set(k, v);
  return ConfigDict(dict);
}
ConfigDict call(std::string_view qualname,
                std::initializer_list<std::pair<std::string_view, Value>> kwargs) {
  return call(qualname, std::vector<Value>{}, kwargs);
}
ConfigDict constant(std::string_view qualname) { return ConfigDict{{kConst, qualname}}; }

}  // namespace konfig
