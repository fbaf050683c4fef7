// Configs in Kauldron's Python-like notation.
#include "konfig/print.h"

#include <fmt/format.h>

#include "base/join.h"
#include "konfig/registry.h"
#include "konfig/scalar_text.h"
#include "konfig/sharing_impl.h"

namespace konfig {
namespace {

class Printer {
 public:
  explicit Printer(const Value& root) : sharing_(root, /*everything=*/true) {}

  std::string value(const Value& v) {
    auto number = sharing_.number(detail::SharedParts::identity(v));
    if (!number) return plain(v);
    auto name = fmt::format("id{:03}", *number + 1);
    if (!shown_.insert(*number).second) return "*" + name;
    return "&" + name + " " + plain(v);
  }

 private:
  std::string plain(const Value& v) {
    detail::DepthGuard guard(depth_);
    if (auto* cfg = v.get_if<ConfigDict>()) return node(*cfg);
    if (auto* list = v.get_if<List>()) return block("[", items(*list), "]");
    if (auto* tuple = v.get_if<Tuple>()) return block("(", items(*tuple), ")");
    if (auto* ref = v.get_if<Reference>()) return value(ref->get());
    if (auto* dict = v.get_if<Dict>()) {
      std::vector<std::string> parts;
      for (auto& [k, x] : *dict) parts.push_back(k.repr() + ": " + value(x));
      return block("{", parts, "}");
    }
    return scalar_text(v);
  }

  std::string node(const ConfigDict& cfg) {
    if (cfg.is_const()) return shorten_qualname(cfg.qualname());
    const auto& n = *Node::of(cfg);
    std::vector<std::string> parts;
    auto entry = [&](const Node::Entry& e) {
      return value(detail::SharedParts::identity(e.value) ? e.value : n.read(e));
    };
    if (!cfg.is_call()) {
      for (auto& e : n.entries) parts.push_back(detail::decode_key(e.key).repr() + ": " + entry(e));
      return block("{", parts, "}");
    }
    auto num_args = n.num_args();
    for (std::size_t i = 0; i < num_args; ++i) parts.push_back(entry(*n.find(std::to_string(i))));
    for (auto& e : n.entries) {
      if (e.key == kQualname || detail::argument_index(e.key, num_args)) continue;
      auto key = detail::decode_key(e.key);
      auto* name = key.get_if<std::string>();
      parts.push_back((name ? *name : key.repr()) + "=" + entry(e));
    }
    return block(shorten_qualname(cfg.qualname()) + "(", parts, ")");
  }

  std::vector<std::string> items(const Sequence& sequence) {
    std::vector<std::string> parts;
    for (auto& v : sequence) parts.push_back(value(v));
    return parts;
  }

  // One line for a single part or short ones, else a line for each.
  static std::string block(const std::string& open, const std::vector<std::string>& parts,
                           const std::string& close) {
    constexpr std::size_t kShort = 20;
    std::size_t length = 0;
    bool one_line = true;
    for (auto& p : parts) {
      length += utf8_length(p);
      one_line = one_line && p.find('\n') == p.npos;
    }
    if (one_line && (parts.size() <= 1 || length <= kShort)) {
      return open + base::join(parts, ", ") + close;
    }
    std::string out = open + "\n";
    for (auto& p : parts) {
      out += "    ";
      for (std::size_t from = 0; from < p.size();) {
        auto to = std::min(p.find('\n', from), p.size() - 1) + 1;
        out.append(p, from, to - from);
        if (p[to - 1] == '\n') out += "    ";
        from = to;
      }
      out += ",\n";
    }
    return out + close;
  }

  detail::SharedParts sharing_;
  std::unordered_set<int> shown_;
  int depth_ = 0;
};

}  // namespace

std::string to_text(const Value& value) { return Printer(value).value(value); }

std::string repr(const Value& value) {
  bool container =
      value.is<ConfigDict>() || value.is<List>() || value.is<Tuple>() || value.is<Dict>();
  if (!container) return scalar_text(value);
  auto text = to_text(value);
  return value.is<ConfigDict>() ? "<ConfigDict[" + text + "]>" : text;
}

std::string shorten(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  // Never cut inside a UTF-8 sequence.
  auto start = [&](std::size_t i) {
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) ++i;
    return i;
  };
  auto head = start(most / 2), tail = start(text.size() - most / 2);
  return text.substr(0, head) + "..." + text.substr(tail);
}

}  // namespace konfig
