#include "kxm/proxies.h"

#include <cctype>
#include <optional>

#include "base/replace_all.h"
#include "konfig/register.h"
#include "kxm/plan.h"

namespace kxm {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;

constexpr std::string_view kFile = "__kxm_file__(";

// The value with `leaf` applied to everything that is no container; one node is looked at each
// time it occurs.
template <class Leaf>
Value map_value(const Value& value, const Leaf& leaf) {
  auto items = [&](const konfig::Sequence& sequence) {
    std::vector<Value> out;
    out.reserve(sequence.size());
    for (auto& item : sequence) out.push_back(map_value(item, leaf));
    return out;
  };
  if (auto* list = value.get_if<List>()) return List(items(*list));
  if (auto* tuple = value.get_if<Tuple>()) return Tuple(items(*tuple));
  if (auto* dict = value.get_if<Dict>()) {
    Dict out;
    for (auto& [k, v] : *dict) out.set(k, map_value(v, leaf));
    return out;
  }
  return leaf(value);
}

std::string replace_in(std::string text, ProxyValues& values, bool percent) {
  if (percent) text = base::replace_all(text, "%", "%%");
  if (text.find("__kxm_") == text.npos) return text;
  if (text.find(WU_DIR_PROXY) != text.npos) {
    text = base::replace_all(text, WU_DIR_PROXY, values.wu_dir());
  }
  if (text.find(XP_DIR_PROXY) != text.npos) {
    text = base::replace_all(text, XP_DIR_PROXY, values.xp_dir());
  }
  if (!text.starts_with(kFile)) return text;
  const auto end = text.find(')');
  if (end == text.npos) return text;
  const auto* path = values.file(std::string_view(text).substr(kFile.size(), end - kFile.size()));
  return path ? *path + text.substr(end + 1) : text;
}

struct FilePath {
  konfig::Required<std::string> name;  // a key of Job::files
};
std::string file_path_of(const FilePath& path) { return file_path(*path.name); }

// A config node that stands for a text, or nullopt.
std::optional<std::string> proxy_text(const ConfigDict& node) {
  const std::string name = node.qualname();
  if (!name.starts_with("kauldron.kxm:")) return std::nullopt;
  const auto what = std::string_view(name).substr(name.find(':') + 1);
  if (node.is_const()) {
    if (what == "WU_DIR_PROXY") return WU_DIR_PROXY;
    if (what == "XP_DIR_PROXY") return XP_DIR_PROXY;
    if (what == "CFG_FLAG_VALUES") return CFG_FLAG_VALUES;
  }
  if (!node.is_call() || what != "file_path") return std::nullopt;
  const auto file = node.get("0", node.get("name", node.get("filename", konfig::None())));
  return file.is<std::string>() ? std::optional(file_path(file.as<std::string>())) : std::nullopt;
}

bool is_word(char c) {
  return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// `name` where nothing goes on before or behind it: not in "my.kxm.WU_DIR_PROXY".
std::string replace_word(std::string text, std::string_view name, std::string_view by) {
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + by.size())) {
    const auto end = at + name.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) &&
                       (end == text.size() || !is_word(text[end]) || text[end] == '.');
    if (whole) text.replace(at, name.size(), by);
  }
  return text;
}

// kxm.file_path("x.gin") at the start, with either quotes.
std::string replace_file_path(const std::string& text) {
  constexpr std::string_view kCall = "kxm.file_path(";
  if (!text.starts_with(kCall) || text.size() == kCall.size()) return text;
  const char quote = text[kCall.size()];
  const auto end = text.find(std::string{quote, ')'}, kCall.size() + 1);
  if ((quote != '"' && quote != '\'') || end == text.npos) return text;
  const auto begin = kCall.size() + 1;
  return file_path(text.substr(begin, end - begin)) + text.substr(end + 2);
}

// The proxies of a text as people write them on a command line or in a YAML file, where nothing
// tells a name from a text.
std::string with_typed_proxies(const std::string& text) {
  if (text.find("kxm.") == text.npos && text.find("ProxyObject(") == text.npos) return text;
  for (const char* all : {"kxm.CFG_FLAG_VALUES", "{__const__: kxm.CFG_FLAG_VALUES}"}) {
    if (text == all) return CFG_FLAG_VALUES;
  }
  // Of an f-string in a config.py: f"{kxm.WU_DIR_PROXY}/log.txt".
  std::string out =
      base::replace_all(text, "ConfigDictProxyObject(kauldron.kxm:WU_DIR_PROXY)", WU_DIR_PROXY);
  out = base::replace_all(out, "ConfigDictProxyObject(kauldron.kxm:XP_DIR_PROXY)", XP_DIR_PROXY);
  if (out.find("ConfigDictProxyObject(") != out.npos) {
    throw konfig::Error(konfig::ErrorKind::value,
                        konfig::Value(text).repr() +
                            ": a name of konfig.imports() was made part of a text, which nobody "
                            "fills in; write the text out, as in \"kxm.WU_DIR_PROXY/log.txt\"");
  }
  out = replace_file_path(out);
  out = base::replace_all(out, "{__const__: kxm.WU_DIR_PROXY}", WU_DIR_PROXY);
  out = base::replace_all(out, "{__const__: kxm.XP_DIR_PROXY}", XP_DIR_PROXY);
  out = replace_word(out, "kxm.WU_DIR_PROXY", WU_DIR_PROXY);
  return replace_word(out, "kxm.XP_DIR_PROXY", XP_DIR_PROXY);
}

}  // namespace

std::string file_path(std::string_view name) {
  return std::string(kFile) + std::string(name) + ")";
}

std::optional<std::string> kept_name(const Value& value) {
  const auto* text = value.get_if<std::string>();
  if (!text || !text->starts_with(kFile) || !text->ends_with(')')) return std::nullopt;
  const std::string name = text->substr(kFile.size(), text->size() - kFile.size() - 1);
  return name.find(')') == name.npos ? std::optional(name) : std::nullopt;
}

std::string port_proxy(std::string_view name) {
  return std::string(kPortProxy) + std::string(name) + ")";
}

Value with_proxies(const Value& value) {
  return map_value(value, [](const Value& leaf) -> Value {
    if (auto* text = leaf.get_if<std::string>()) return with_typed_proxies(*text);
    auto* node = leaf.get_if<ConfigDict>();
    if (!node) return leaf;
    if (auto text = proxy_text(*node)) return *text;
    if (node->is_call() || node->is_const()) return leaf;
    Dict out;
    for (auto& [k, v] : node->items()) out.set(k, with_proxies(v));
    return out;
  });
}

Value with_proxy_names(const Value& value) {
  return map_value(value, [](const Value& leaf) -> Value {
    auto* text = leaf.get_if<std::string>();
    if (!text || text->find("__kxm_") == text->npos) return leaf;
    std::string out = base::replace_all(*text, WU_DIR_PROXY, "kxm.WU_DIR_PROXY");
    out = base::replace_all(out, XP_DIR_PROXY, "kxm.XP_DIR_PROXY");
    out = base::replace_all(out, CFG_FLAG_VALUES, "kxm.CFG_FLAG_VALUES");
    const auto end = out.find(')');
    if (!out.starts_with(kFile) || end == out.npos) return out;
    return "kxm.file_path(\"" + out.substr(kFile.size(), end - kFile.size()) + "\"" +
           out.substr(end);
  });
}

Value replace_proxies(const Value& value, ProxyValues& values, bool percent) {
  return map_value(value, [&](const Value& leaf) -> Value {
    if (auto* text = leaf.get_if<std::string>()) return replace_in(*text, values, percent);
    auto* node = leaf.get_if<ConfigDict>();
    if (!node || !has_proxies(leaf)) return leaf;
    return ConfigDict(replace_proxies(node->to_dict(), values, percent).as<Dict>());
  });
}

bool has_proxies(const Value& value) {
  bool found = false;
  map_value(value, [&](const Value& leaf) -> Value {
    if (auto* text = leaf.get_if<std::string>()) found |= text->find("__kxm_") != text->npos;
    if (auto* node = leaf.get_if<ConfigDict>()) found |= has_proxies(node->to_dict());
    return {};
  });
  return found;
}

}  // namespace kxm

KONFIG_CONSTANT("kauldron.kxm:WU_DIR_PROXY", std::string(kxm::WU_DIR_PROXY));
KONFIG_CONSTANT("kauldron.kxm:XP_DIR_PROXY", std::string(kxm::XP_DIR_PROXY));
KONFIG_CONSTANT("kauldron.kxm:CFG_FLAG_VALUES", std::string(kxm::CFG_FLAG_VALUES));
KONFIG_FUNCTION("kauldron.kxm:file_path", kxm::file_path_of);
