// Configs to YAML and back.
#include "konfig/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <unordered_map>

#include "konfig/parse_number_impl.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "konfig/sharing_impl.h"
#include "konfig/yaml_quotes.h"

namespace konfig {
namespace {

// A plain (unquoted) scalar under YAML 1.2's core schema.
Value plain_scalar(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return None{};
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto rest = text.substr(text.front() == '-' || text.front() == '+' ? 1 : 0);
  if (rest == ".inf" || rest == ".Inf" || rest == ".INF")
    return text.front() == '-' ? -kInfinity : kInfinity;
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return std::numeric_limits<double>::quiet_NaN();
  std::optional<Value> number;
  if (text.starts_with("0x")) {
    number = detail::parse_whole(text.substr(2), 16, false);
  } else if (text.starts_with("0o")) {
    number = detail::parse_whole(text.substr(2), 8, false);
  } else {
    number = detail::parse_decimal(text.front() == '+' ? rest : text);
  }
  return number ? *number : Value(text);
}

// ---- Writing ------------------------------------------------------------------------------------

class YamlWriter {
 public:
  explicit YamlWriter(const Value& root) : sharing_(root, /*everything=*/false) { value(root); }
  std::string text() const { return std::string(out_.c_str(), out_.size()) + "\n"; }

 private:
  void value(const Value& v) {
    detail::DepthGuard guard(depth_);
    if (auto* cfg = v.get_if<ConfigDict>()) return node(*cfg);
    if (auto* ref = v.get_if<Reference>()) return value(ref->get());
    if (auto* list = v.get_if<List>()) return items(*list);
    if (auto* tuple = v.get_if<Tuple>()) return items(*tuple);
    if (auto* dict = v.get_if<Dict>()) {
      out_ << YAML::BeginMap;
      for (auto& [k, x] : *dict) pair(detail::encode_key(k), x);
      out_ << YAML::EndMap;
      return;
    }
    scalar(v);
  }

  void node(const ConfigDict& cfg) {
    const auto& n = *Node::of(cfg);
    if (auto number = sharing_.number(&n)) {
      auto name = fmt::format("id{:03}", *number + 1);
      if (!shown_.insert(*number).second) {
        if (open_.contains(&n)) {
          throw Error(ErrorKind::cycle, "the config contains itself and has no form in YAML");
        }
        out_ << YAML::Alias(name);
        return;
      }
      out_ << YAML::Anchor(name);
    }
    if (n.entries.empty()) out_ << YAML::Flow;
    out_ << YAML::BeginMap;
    open_.insert(&n);
    for (auto& e : n.entries) pair(e.key, n.read(e));
    open_.erase(&n);
    out_ << YAML::EndMap;
  }

  void pair(const std::string& key, const Value& v) {
    if (key == "__raw__=None") throw Error(ErrorKind::type, "the key None has no form in YAML");
    out_ << YAML::Key;
    text(key);
    out_ << YAML::Value;
    try {
      value(v);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::cycle) throw;
      throw e.within(key);
    }
  }

  void items(const Sequence& sequence) {
    bool scalars = true;
    for (auto& v : sequence) {
      scalars = scalars && !detail::SharedParts::identity(v) && !v.is<Dict>();
    }
    if (scalars) out_ << YAML::Flow;
    out_ << YAML::BeginSeq;
    for (auto& v : sequence) value(v);
    out_ << YAML::EndSeq;
  }

  void scalar(const Value& v) {
    if (v.is_none()) {
      out_ << YAML::Null;
    } else if (auto* b = v.get_if<bool>()) {
      out_ << *b;
    } else if (auto* s = v.get_if<std::string>()) {
      text(*s);
    } else if (auto* p = v.get_if<std::filesystem::path>()) {
      text(p->string());
    } else if (auto* d = v.get_if<double>(); d && !std::isfinite(*d)) {
      out_ << (std::isnan(*d) ? ".nan" : *d < 0 ? "-.inf" : ".inf");
    } else if (d || v.is<std::int64_t>() || v.is<BigInt>()) {
      out_ << scalar_text(v);
    } else {
      throw Error(ErrorKind::type, shorten(v.repr(), 40) + ": " + std::string(v.type_name()) +
                                       " has no form in YAML");
    }
  }

  void text(const std::string& s) {
    if (!is_utf8(s)) {
      throw Error(ErrorKind::value,
                  "text that is not valid UTF-8 has no form in YAML: " + shorten(repr_text(s), 40));
    }
    // Quoted unless it is plainly text: anything that could read as something else, or that other
    // YAML readers take for it ("yes", "1:30").
    bool plain =
        !s.empty() && (std::isalpha(static_cast<unsigned char>(s.front())) || s.front() == '_');
    for (char c : s)
      plain = plain && (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
                        c == '/' || c == '-');
    static const std::unordered_set<std::string> kWords = {"y",   "n",    "yes",  "no",   "on",
                                                           "off", "null", "true", "false"};
    std::string lower = s;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!plain || kWords.contains(lower)) out_ << YAML::DoubleQuoted;
    out_ << s;
  }

  detail::SharedParts sharing_;
  std::unordered_set<int> shown_;
  std::unordered_set<const Node*> open_;  // being written
  YAML::Emitter out_;
  int depth_ = 0;
};

// ---- Reading ------------------------------------------------------------------------------------

// Builds plain data from yaml-cpp's events. A map that is used again through an alias carries an
// `__id__`, so that a config made of it shares the node.
class YamlReader final : public YAML::EventHandler {
 public:
  Value result;
  int documents = 0;
  YAML::Mark last_text = YAML::Mark::null_mark();

  [[noreturn]] static void fail(const YAML::Mark& mark, const std::string& what) {
    throw Error(ErrorKind::value,
                fmt::format("YAML, line {} column {}: {}", mark.line + 1, mark.column + 1, what));
  }

  void OnDocumentStart(const YAML::Mark&) override { ++documents; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, None{}); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto it = anchors_.find(anchor);
    if (it == anchors_.end()) fail(mark, "an alias inside the value it names");
    auto [value, nodes] = it->second;
    if (value.is<Dict>()) nodes = 1;  // shared, not repeated
    if (auto* dict = value.get_if<Dict>(); dict && !dict->find(Value(kId))) {
      Dict(*dict).set(kId, fmt::format("yaml {}", anchor));
    }
    aliased_ += nodes;
    if (aliased_ > kMaxAliased) {
      fail(mark, fmt::format("the aliases up to here repeat more than {} values; write out what "
                             "they name, or use fewer",
                             kMaxAliased));
    }
    add(mark, 0, value, nodes);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    last_text = mark;
    if (!is_utf8(text)) fail(mark, "text that is not valid UTF-8");
    merge_key_ = text == "<<" && (tag == "?" || tag.empty());
    if (tag == "?" || tag.empty()) {
      add(mark, anchor, plain_scalar(text));
    } else if (tag == "!" || tag == "tag:yaml.org,2002:str") {
      add(mark, anchor, text);
    } else if (tag == "tag:yaml.org,2002:int" || tag == "tag:yaml.org,2002:float" ||
               tag == "tag:yaml.org,2002:bool" || tag == "tag:yaml.org,2002:null") {
      auto v = plain_scalar(text);
      if (v.is<std::string>()) fail(mark, "'" + text + "' does not fit its tag " + tag);
      bool whole_as_float = tag.ends_with("float") && v.is<std::int64_t>();
      add(mark, anchor, whole_as_float ? Value(static_cast<double>(v.as<std::int64_t>())) : v);
    } else {
      fail(mark, "unknown tag " + tag);
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    bool tuple = tag == "tag:yaml.org,2002:python/tuple";
    if (!tuple) expect_tag(mark, tag, "tag:yaml.org,2002:seq");
    push(mark, tuple ? Value(Tuple()) : Value(List()), anchor);
  }
  void OnSequenceEnd() override { pop(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    expect_tag(mark, tag, "tag:yaml.org,2002:map");
    push(mark, Dict(), anchor);
  }
  void OnMapEnd() override { pop(); }

 private:
  struct Level {
    Value container;  // a handle: filled in place
    YAML::anchor_t anchor;
    YAML::Mark mark;
    std::optional<Value> key = {};
    bool merge = false;     // the key is `<<`
    Dict given = {};        // keys of the map itself, not of those that it merges
    std::size_t nodes = 1;  // it and all in it, each alias as what it names
  };
  struct Anchored {
    Value value;
    std::size_t nodes;
  };
  // Aliases of lists and texts repeat what they name: a small file must not become a huge config.
  static constexpr std::size_t kMaxAliased = 1'000'000;
  static std::size_t weight_of(const Value& scalar) {
    constexpr std::size_t kTextOfAValue = 64;  // a long text counts as several values
    auto* text = scalar.get_if<std::string>();
    return 1 + (text ? text->size() / kTextOfAValue : 0);
  }

  static void expect_tag(const YAML::Mark& mark, const std::string& tag, std::string_view wanted) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != wanted) fail(mark, "unknown tag " + tag);
  }

  void push(const YAML::Mark& mark, Value container, YAML::anchor_t anchor) {
    if (levels_.size() >= kMaxDepth)
      fail(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
    if (!levels_.empty() && levels_.back().container.is<Dict>() && !levels_.back().key) {
      fail(mark, "a key must be text or a number");
    }
    levels_.push_back({std::move(container), anchor, mark});
  }

  void pop() {
    auto done = std::move(levels_.back());
    levels_.pop_back();
    add(done.mark, done.anchor, std::move(done.container), done.nodes);
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Value v) {
    const std::size_t nodes = weight_of(v);
    add(mark, anchor, std::move(v), nodes);
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Value v, std::size_t nodes) {
    if (anchor) anchors_[anchor] = {v, nodes};
    if (levels_.empty()) {
      result = std::move(v);
      return;
    }
    auto& top = levels_.back();
    top.nodes += nodes;
    if (auto* list = top.container.get_if<List>()) {
      List(*list).push_back(std::move(v));
    } else if (auto* tuple = top.container.get_if<Tuple>()) {
      Tuple(*tuple).push_back(std::move(v));
    } else if (!top.key) {
      if (v.is<List>() || v.is<Tuple>() || v.is<Dict>())
        fail(mark, "a key must be text or a number");
      top.key = std::move(v);
      top.merge = merge_key_;
      if (!top.merge) {
        if (top.given.find(*top.key)) {
          fail(mark, shorten(scalar_text(*top.key), 60) + " is given twice");
        }
        top.given.set(*top.key, None{});
      }
    } else {
      Dict map(top.container.as<Dict>());
      if (top.merge) {
        merge(mark, map, v);
      } else {
        map.set(*std::move(top.key), std::move(v));
      }
      top.key.reset();
    }
    merge_key_ = false;
  }

  // `<<: *base`: the fields of other maps, unless given here.
  static void merge(const YAML::Mark& mark, Dict& into, const Value& v) {
    if (auto* list = v.get_if<List>()) {
      for (auto& x : *list) merge(mark, into, x);
      return;
    }
    auto* from = v.get_if<Dict>();
    if (!from) fail(mark, "<< takes a map or a list of maps");
    for (auto& [k, x] : *from) {
      if (!(k == Value(kId)) && !into.find(k)) into.set(k, x);
    }
  }

  std::vector<Level> levels_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t aliased_ = 0;
  bool merge_key_ = false;
};

}  // namespace

std::string to_yaml(const Value& value) { return YamlWriter(value).text(); }

Value parse_yaml(std::string_view text) {
  const std::string yaml(text);
  std::istringstream in(yaml);
  YamlReader reader;
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(reader)) {
      if (reader.documents > 1) throw Error(ErrorKind::value, "YAML: more than one document");
    }
  } catch (const YAML::Exception& e) {
    YamlReader::fail(e.mark, e.msg);
  }
  if (ends_within_quotes(yaml)) YamlReader::fail(reader.last_text, "a quoted text without an end");
  return reader.result;
}

ConfigDict config_from_yaml(std::string_view text) {
  auto data = parse_yaml(text);
  if (auto* dict = data.get_if<Dict>()) return ConfigDict(*dict);
  throw Error(ErrorKind::type, "YAML: a config is a map, this is " + shorten(data.repr(), 40));
}

}  // namespace konfig
