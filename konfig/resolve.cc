// resolve: from a config to real objects.
#include "konfig/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "konfig/node.h"
#include "konfig/print.h"
#include "konfig/registry.h"

namespace konfig {
namespace {

constexpr std::string_view kNoFreeze = "_konfig_experimental_nofreeze";
constexpr std::size_t kMaxParts = 1'000'000;  // shared plain nodes are resolved at each place

class Resolver {
 public:
  explicit Resolver(bool freeze) : freeze_(freeze) {}

  Value value(const Value& v) {
    detail::DepthGuard guard(depth_);
    bool container = v.is<ConfigDict>() || v.is<Dict>() || v.is<List>() || v.is<Tuple>();
    if (container && ++parts_ > kMaxParts) {
      throw Error(ErrorKind::value,
                  "the config resolves to too many parts; are shared nodes nested?");
    }
    if (auto* cfg = v.get_if<ConfigDict>()) return node(*cfg);
    if (auto* dict = v.get_if<Dict>()) return plain_map(*dict);
    if (auto* ref = v.get_if<Reference>()) return value(ref->get());
    if (auto* list = v.get_if<List>()) {
      auto resolved = items(*list);
      return freeze_ ? Value(Tuple(std::move(resolved))) : Value(List(std::move(resolved)));
    }
    if (auto* tuple = v.get_if<Tuple>()) return Tuple(items(*tuple));
    return v;
  }

 private:
  using Pairs = std::vector<std::pair<Value, Value>>;

  std::vector<Value> items(const Sequence& sequence) {
    std::vector<Value> out;
    out.reserve(sequence.size());
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      try {
        out.push_back(value(sequence[i]));
      } catch (const Error& e) {
        throw e.within(fmt::format("[{}]", i));
      }
    }
    return out;
  }

  Value node(const ConfigDict& cfg) {
    auto* id = Node::of(cfg).get();
    if (auto it = built_.find(id); it != built_.end()) return it->second;
    if (!active_.insert(id).second) {
      throw Error(ErrorKind::cycle, "the config contains itself and cannot be resolved");
    }
    Value result;
    if (cfg.is_call() || cfg.is_const()) {
      result = symbol_node(cfg.items(), &cfg);
      if (cfg.is_call()) built_.emplace(id, result);
    } else {
      result = map(cfg.items());
    }
    active_.erase(id);
    return result;
  }

  // A map that is no config: what parsed JSON looks like before it becomes one.
  Value plain_map(const Dict& dict) {
    Pairs pairs(dict.begin(), dict.end());
    bool symbol = dict.find(Value(kQualname)) || dict.find(Value(kConst));
    return symbol ? symbol_node(pairs, nullptr) : map(pairs);
  }

  Value map(const Pairs& pairs) {
    Dict out;
    for (auto& [k, v] : pairs) out.set(k, child(k, v));
    out.frozen = freeze_;
    return out;
  }

  Value child(const Value& key, const Value& v) {
    try {
      return value(v);
    } catch (const Error& e) {
      auto* name = key.get_if<std::string>();
      throw e.within(name ? *name : "[" + key.repr() + "]");
    }
  }

  Value symbol_node(const Pairs& pairs, const ConfigDict* cfg) {
    const Value *call = nullptr, *constant = nullptr;
    for (auto& [k, v] : pairs) {
      if (k == Value(kQualname)) call = &v;
      if (k == Value(kConst)) constant = &v;
    }
    if (call && constant) {
      throw Error(ErrorKind::value,
                  "both __qualname__ and __const__ are set: a node is a call or a "
                  "constant, not both");
    }
    auto& name_value = call ? *call : *constant;
    auto* name = name_value.get_if<std::string>();
    if (!name) {
      throw Error(ErrorKind::key, std::string(call ? kQualname : kConst),
                  "expected a name, got " + shorten(name_value.repr(), 40));
    }
    if (call) return build(*name, pairs, cfg);
    if (pairs.size() > 1) {
      throw Error(ErrorKind::value, "a constant has no fields besides __const__, this has " +
                                        std::to_string(pairs.size() - 1));
    }
    const Symbol& symbol = get_constant(*name);
    return symbol.constant ? *symbol.constant : Value(SymbolName{symbol.qualname});
  }

  // What a Python module defines has a name and nothing behind it.
  static const Symbol& get_constant(const std::string& name) {
    try {
      return get_symbol(name);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::key) throw;
      throw e.with(
          "\n  a function written in Python does not run here: write it in C++ and name it with "
          "KONFIG_CALLABLE(\"" +
          name + "\", function)");
    }
  }

  Value build(const std::string& name, const Pairs& pairs, const ConfigDict* cfg) {
    auto* known = find_known(name);
    Arguments args;
    args.positional.resize(count_positional(pairs));
    for (auto& [k, v] : pairs) {
      auto* text = k.get_if<std::string>();
      auto key = text ? *text : k.repr();
      if (key == kQualname) continue;
      bool raw = known && std::find(known->raw_fields.begin(), known->raw_fields.end(), key) !=
                              known->raw_fields.end();
      auto resolved = raw ? v : child(k, v);
      if (auto i = detail::argument_index(key, args.positional.size())) {
        args.positional[*i] = std::move(resolved);
      } else {
        args.keyword.emplace_back(std::move(key), std::move(resolved));
      }
    }
    return construct(known ? *known : get_symbol(name), args, cfg);
  }

  // Consecutive keys "0", "1", ...
  static std::size_t count_positional(const Pairs& pairs) {
    std::vector<bool> present(pairs.size() + 1);
    for (auto& [k, v] : pairs) {
      auto* key = k.get_if<std::string>();
      if (auto i = key ? detail::argument_index(*key, pairs.size()) : std::nullopt)
        present[*i] = true;
    }
    return static_cast<std::size_t>(std::find(present.begin(), present.end(), false) -
                                    present.begin());
  }

  // nullptr also for malformed names: children are resolved first, then get_symbol reports it.
  static const Symbol* find_known(const std::string& name) {
    try {
      return find_symbol(name);
    } catch (const Error&) {
      return nullptr;
    }
  }

  static Value construct(const Symbol& symbol, const Arguments& args, const ConfigDict* cfg) {
    // "in optax.adam(learning_rate='fast')": which node it was.
    auto where = [&] {
      constexpr std::size_t kMost = 300;
      auto text = cfg ? to_text(*cfg) : shorten_qualname(symbol.qualname) + "(...)";
      if (text.size() > kMost) text = shorten(std::move(text), kMost - 5);
      return "\n  in " + text;
    };
    try {
      if (!symbol.construct) {
        throw Error(ErrorKind::type,
                    "'" + symbol.qualname + "' is a constant and cannot be called");
      }
      auto result = symbol.construct(args);
      if (symbol.post_resolve) symbol.post_resolve(result, cfg ? *cfg : ConfigDict());
      return result;
    } catch (const Error& e) {
      throw e.with(where());
    } catch (const std::exception& e) {
      // The original stays reachable through std::rethrow_if_nested.
      std::throw_with_nested(Error(ErrorKind::value, e.what() + where()));
    }
  }

  bool freeze_;
  int depth_ = 0;
  std::size_t parts_ = 0;
  std::unordered_map<const Node*, Value> built_;
  std::unordered_set<const Node*> active_;
};

}  // namespace

Value resolve(const Value& cfg, ResolveOptions options) {
  if (cfg.is<std::string>()) return cfg;
  if (auto* node = cfg.get_if<ConfigDict>(); node && node->contains(kNoFreeze)) {
    auto copy = node->shallow_copy();
    options.freeze = !copy.get(kNoFreeze).as<bool>();
    copy.erase(kNoFreeze);
    return Resolver(options.freeze).value(copy);
  }
  if (!cfg.is<ConfigDict>() && !cfg.is<Dict>() && !cfg.is<List>() && !cfg.is<Tuple>()) {
    throw Error(ErrorKind::type,
                "resolve takes a config, a map or a list, not " + shorten(cfg.repr(), 40));
  }
  return Resolver(options.freeze).value(cfg);
}

}  // namespace konfig
