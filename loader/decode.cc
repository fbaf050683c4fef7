#include "loader/decode_impl.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "konfig/print.h"
#include "konfig/reference.h"
#include "loader/decode_expr_impl.h"

namespace loader {
namespace {

using namespace konfig;

[[noreturn]] void fail(const std::string& what, const Value& found) {
  throw Error(ErrorKind::value, "cannot read the config that Python wrote: " + what + ": " +
                                    shorten(found.repr(), 80));
}

const Value& field(const Dict& dict, const char* name) {
  if (auto* value = dict.find(name)) return *value;
  fail(std::string("no '") + name + "'", dict);
}

// One character (0-255) of the text is one byte.
Bytes bytes(const std::string& utf8) {
  Bytes out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c < 0x80) {
      out.data += static_cast<char>(c);
    } else if ((c == 0xC2 || c == 0xC3) && i + 1 < utf8.size()) {
      out.data += static_cast<char>(((c & 3) << 6) | (utf8[++i] & 0x3F));
    } else {
      fail("no bytes", utf8);
    }
  }
  return out;
}

std::optional<std::int64_t> bound(const Value& v) {
  return v.is_none() ? std::nullopt : std::optional(v.as<std::int64_t>());
}

Slice slice(const List& parts) {
  if (parts.size() != 3) fail("no slice", parts);
  return {bound(parts[0]), bound(parts[1]), bound(parts[2])};
}

CellType cell_type(const Value& name) {
  static const std::map<std::string, CellType> kTypes = {
      {"object", CellType::any},   {"bool", CellType::boolean}, {"int", CellType::integer},
      {"float", CellType::number}, {"str", CellType::text},     {"list", CellType::list},
      {"tuple", CellType::tuple},  {"dict", CellType::dict}};
  auto it = kTypes.find(name.as<std::string>());
  return it == kTypes.end() ? CellType::any : it->second;
}

class Decoder : public Scope {
 public:
  // Nodes and cells may be named before they are written: note them all first.
  explicit Decoder(const Value& encoded) { survey(encoded); }

  ConfigDict config(const Value& encoded) {
    auto* dict = encoded.get_if<Dict>();
    if (!dict) fail("no config", encoded);
    if (auto* id = dict->find("__id__")) root_ = nodes_.at(id->repr()).node;
    return node(*dict, &root_);
  }

  Value value(const Value& encoded) override {
    const Depth depth(depth_);
    if (auto* list = encoded.get_if<List>()) return List(items(*list));
    auto* dict = encoded.get_if<Dict>();
    if (!dict) return encoded;
    if (dict->size() == 0) return ConfigDict();
    if (auto tagged = special(*dict)) return *tagged;
    return node(*dict, nullptr);
  }

  Reference root() override { return root_.ref(); }
  Reference node(const Value& id) override {
    auto it = nodes_.find(id.repr());
    if (it == nodes_.end()) fail("unknown node", id);
    return it->second.node.ref();
  }
  Reference cell(const Value& number) override {
    // What follows a cell without writing to it is got from a field that holds it.
    ConfigDict holder;
    holder.set("cell", shared_cell(number));
    return holder.get_oneway_ref("cell");
  }

 private:
  struct Shared {
    ConfigDict node;
    bool filled = false;
  };
  struct Depth {
    explicit Depth(int& count) : depth(count) {
      if (++depth > kMaxDepth) throw Error(ErrorKind::value, "the config is nested too deeply");
    }
    ~Depth() { --depth; }
    int& depth;
  };

  void survey(const Value& v) {
    const Depth depth(depth_);
    if (auto* list = v.get_if<List>()) {
      for (auto& x : *list) survey(x);
    } else if (auto* dict = v.get_if<Dict>()) {
      if (auto* id = dict->find("__id__")) nodes_.try_emplace(id->repr());
      if (auto* cell = dict->find("__placeholder__")) {
        auto* number = cell->as<Dict>().find("cell");
        if (number) cells_.try_emplace(number->repr(), *cell);
      }
      for (auto& [key, x] : *dict) survey(x);
    }
  }

  std::vector<Value> items(const List& list) {
    std::vector<Value> out;
    for (auto& x : list) out.push_back(value(x));
    return out;
  }

  // Everything that JSON has no word for; empty: a node.
  std::optional<Value> special(const Dict& dict) {
    const auto& [key, content] = *dict.begin();
    auto* tag = key.get_if<std::string>();
    if (!tag || !tag->starts_with("__")) return std::nullopt;
    if (*tag == "__ref__") return expression(content, *this);
    if (*tag == "__placeholder__") return placeholder_of(content.as<Dict>());
    if (*tag == "__tuple__") return Tuple(items(content.as<List>()));
    if (*tag == "__set__") return Set(items(content.as<List>()));
    if (*tag == "__frozenset__") return Set(items(content.as<List>()), /*frozen=*/true);
    if (*tag == "__bytes__") return bytes(content.as<std::string>());
    if (*tag == "__ellipsis__") return Ellipsis();
    if (*tag == "__slice__") return slice(content.as<List>());
    if (*tag == "__path__") return std::filesystem::path(content.as<std::string>());
    if (*tag == "__union__") return call("typing:Union", items(content.as<List>()));
    return std::nullopt;
  }

  ConfigDict node(const Dict& dict, const ConfigDict* existing) {
    ConfigDict out = existing ? *existing : ConfigDict();
    if (auto* id = dict.find("__id__")) {
      auto& shared = nodes_.at(id->repr());
      if (shared.filled) return shared.node;
      shared.filled = true;
      out = shared.node;
    }
    if (auto* pairs = dict.find("__dict__")) {
      for (auto& pair : pairs->as<List>()) {
        auto& key_value = pair.as<List>();
        if (key_value.size() != 2) fail("no pair", pair);
        out.set(key_value[0], value(key_value[1]));
      }
      return out;
    }
    for (auto& [key, x] : dict) {
      if (key != Value("__id__")) out.set(key, value(x));
    }
    return out;
  }

  Reference placeholder_of(const Dict& data) {
    if (auto* number = data.find("cell")) return shared_cell(*number);
    return make_placeholder(data);
  }

  Reference shared_cell(const Value& number) {
    const auto name = number.repr();
    if (auto it = made_cells_.find(name); it != made_cells_.end()) return it->second;
    auto it = cells_.find(name);
    if (it == cells_.end()) fail("unknown cell", number);
    auto made = make_placeholder(it->second.as<Dict>());
    return made_cells_.try_emplace(name, made).first->second;
  }

  Reference make_placeholder(const Dict& data) {
    const Depth depth(depth_);
    auto initial = value(field(data, "default"));
    // A reference has no type yet: such a cell takes what comes.
    const auto type = initial.is<Reference>() ? CellType::any : cell_type(field(data, "type"));
    return placeholder(
        type, {.required = field(data, "required") == Value(true), .initial = std::move(initial)});
  }

  ConfigDict root_;
  std::map<std::string, Shared> nodes_;          // by `__id__`
  std::map<std::string, Value> cells_;           // as written, by number
  std::map<std::string, Reference> made_cells_;  // by number
  int depth_ = 0;
};

}  // namespace

ConfigDict decode_config(const Value& encoded) { return Decoder(encoded).config(encoded); }
Value decode_value(const Value& encoded) { return Decoder(encoded).value(encoded); }

Value encode_value(const Value& value) {
  const auto items = [](const Sequence& sequence) {
    List out;
    for (auto& x : sequence) out.push_back(encode_value(x));
    return out;
  };
  if (auto* list = value.get_if<List>()) return items(*list);
  if (auto* tuple = value.get_if<Tuple>()) return Dict{{"__tuple__", items(*tuple)}};
  if (auto* set = value.get_if<Set>()) {
    return Dict{{set->frozen ? "__frozenset__" : "__set__", items(*set)}};
  }
  if (auto* path = value.get_if<std::filesystem::path>()) return path->string();
  if (auto* dict = value.get_if<Dict>()) {
    Dict out;
    for (auto& [key, x] : *dict) out.set(key, encode_value(x));
    return out;
  }
  return value;
}

}  // namespace loader
