// YAML files of configs.
#include <fmt/format.h>
#include <utf8proc.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>

#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "konfig/yaml_quotes.h"
#include "tfimm/train/values_impl.h"
#include "tfimm/train/yaml_read_impl.h"
#include "tfimm/train/yaml_scalar_impl.h"

namespace tfimm::train::detail {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr std::string_view kTag = "tag:yaml.org,2002:";
// Aliases repeat what they name: a small file must not become a huge config.
constexpr std::size_t kMaxNodes = 1'000'000;
constexpr std::size_t kMaxLevels = 200;

// yaml-cpp makes a single byte of the escapes \N and \_. The file itself is UTF-8, so that such a
// byte can be nothing else.
std::string repaired(const std::string& text) {
  if (konfig::is_utf8(text)) return text;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    utf8proc_int32_t letter = 0;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + i,
                                    static_cast<utf8proc_ssize_t>(text.size() - i), &letter);
    if (n > 0) {
      out.append(text, i, static_cast<std::size_t>(n));
      i += static_cast<std::size_t>(n);
    } else {
      out += '\xC2';
      out += text[i++];
    }
  }
  return out;
}

// `line` is counted from 0.
bool is_indented_by_tab(std::string_view text, int line) {
  for (; line > 0 && text.find('\n') != text.npos; --line) text.remove_prefix(text.find('\n') + 1);
  text = text.substr(0, text.find_first_not_of(" \t"));
  return text.find('\t') != text.npos;
}

bool is_json(const std::string& text) {
  if (!text.starts_with('{')) return false;
  try {
    konfig::parse_json(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// JSON writes a letter beyond U+FFFF as two escapes, YAML as one.
std::string with_whole_letters(std::string text) {
  if (text.find("\\ud") == text.npos && text.find("\\uD") == text.npos) return text;
  if (!is_json(text)) return text;
  auto number = [&](std::size_t at) {
    return text.compare(at, 2, "\\u") == 0 ? std::stoul(text.substr(at + 2, 4), nullptr, 16) : 0;
  };
  for (auto at = text.find('\\'); at != text.npos; at = text.find('\\', at + 2)) {
    const auto high = number(at);
    const auto low = high >= 0xD800 && high < 0xDC00 ? number(at + 6) : 0;
    if (low < 0xDC00 || low > 0xDFFF) continue;
    text.replace(at, 12,
                 fmt::format("\\U{:08X}", 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00));
  }
  return text;
}

// Which characters YAML has; yaml-cpp takes some others for its own marks.
bool is_printable(utf8proc_int32_t letter) {
  if (letter < 0xA0) {
    return letter == '\t' || letter == '\n' || letter == '\r' || letter == 0x85 ||
           (letter >= 0x20 && letter < 0x7F);
  }
  return letter != 0xFFFE && letter != 0xFFFF;
}

class Reader final : public YAML::EventHandler {
 public:
  explicit Reader(const std::string& file) : file_(file) {}
  YamlPtr result = nullptr;
  YAML::Mark last_text = YAML::Mark::null_mark();

  [[noreturn]] void fail(int line, int column, const std::string& what) const {
    throw Error(ErrorKind::value,
                fmt::format("{}, line {} column {}: {}", file_, line, column, what));
  }
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    fail(mark.line + 1, mark.column + 1, what);
  }

  void check_characters(std::string_view text) const {
    int line = 1, column = 1;
    while (!text.empty()) {
      utf8proc_int32_t letter = 0;
      const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &letter);
      if (n <= 0) fail(line, column, "the file is not UTF-8");
      if (!is_printable(letter)) {
        fail(line, column, fmt::format("the character U+{:04X} cannot stand in YAML", letter));
      }
      text.remove_prefix(static_cast<std::size_t>(n));
      column = letter == '\n' ? 1 : column + 1;
      line += letter == '\n';
    }
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) fail(mark, "a config file has one document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, anchor, std::make_shared<YamlNode>(at(mark, YamlNode::Kind::scalar)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto it = anchors_.find(anchor);
    if (it == anchors_.end()) fail(mark, "an alias inside the value it names");
    count(mark, it->second.size);
    add(mark, 0, it->second.node);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    last_text = mark;
    YamlNode node = at(mark, YamlNode::Kind::scalar);
    node.text = repaired(text);
    if (!konfig::is_utf8(node.text)) fail(mark, "text that is not UTF-8");
    node.plain = tag.empty() || tag == "?";
    if (!node.plain && tag != "!" && tag != std::string(kTag) + "str") {
      check_scalar_tag(mark, tag, text);
      node.plain = true;
    }
    add(mark, anchor, std::make_shared<YamlNode>(std::move(node)));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    expect_tag(mark, tag, {"seq", "python/tuple"});
    push(mark, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { pop(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    expect_tag(mark, tag, {"map"});
    push(mark, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { pop(); }

 private:
  struct Level {
    std::shared_ptr<YamlNode> node;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    std::size_t nodes_before;
    std::optional<YamlNode> key = {};
    std::set<std::string> given = {};          // keys of the map itself
    std::vector<YamlNode::Entry> merged = {};  // those of `<<`, which have less weight
  };
  struct Anchor {
    YamlPtr node;
    std::size_t size;
  };

  static YamlNode at(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  [[noreturn]] void fail_tag(const YAML::Mark& mark, const std::string& tag) const {
    std::string shown = tag.starts_with(kTag) ? "!!" + tag.substr(kTag.size()) : tag;
    const bool python = shown.starts_with("!!python/");
    if (shown == "!!python/tuple") fail(mark, "!!python/tuple is for sequences, such as [28, 28]");
    fail(mark, "unknown tag " + shown +
                   (python ? "; of Python's tags only !!python/tuple is read, for sequences" : ""));
  }
  void expect_tag(const YAML::Mark& mark, const std::string& tag,
                  std::initializer_list<std::string_view> known) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    for (std::string_view name : known) {
      if (tag == std::string(kTag) + std::string(name)) return;
    }
    fail_tag(mark, tag);
  }
  void check_scalar_tag(const YAML::Mark& mark, const std::string& tag,
                        const std::string& text) const {
    const std::string name = tag.starts_with(kTag) ? tag.substr(kTag.size()) : "";
    const Plain kind = plain_kind(text);
    const bool is_number = kind == Plain::integer || kind == Plain::floating;
    const bool fits = name == "int"     ? kind == Plain::integer
                      : name == "float" ? is_number || read_float(text).has_value()
                      : name == "bool"  ? kind == Plain::boolean
                                        : kind == Plain::null;
    if (name != "int" && name != "float" && name != "bool" && name != "null") fail_tag(mark, tag);
    if (!fits) fail(mark, "'" + konfig::shorten(text, 40) + "' does not fit its tag !!" + name);
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMaxNodes) fail(mark, "its aliases make too large a config");
  }

  void push(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (levels_.size() >= kMaxLevels) {
      fail(mark, fmt::format("nested deeper than {} levels", kMaxLevels));
    }
    if (!levels_.empty() && levels_.back().node->kind == YamlNode::Kind::map &&
        !levels_.back().key) {
      fail(mark, "a key is text");
    }
    levels_.push_back({std::make_shared<YamlNode>(at(mark, kind)), mark, anchor, nodes_});
  }

  void pop() {
    Level done = std::move(levels_.back());
    levels_.pop_back();
    for (auto& entry : done.merged) {
      if (done.given.insert(entry.key).second) done.node->entries.push_back(std::move(entry));
    }
    if (done.anchor) anchors_[done.anchor] = {done.node, nodes_ - done.nodes_before + 1};
    add(done.mark, 0, done.node);
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, YamlPtr node) {
    count(mark, 1);
    if (anchor) anchors_[anchor] = {node, 1};
    if (levels_.empty()) {
      result = std::move(node);
      return;
    }
    Level& top = levels_.back();
    if (top.node->kind == YamlNode::Kind::sequence) {
      top.node->items.push_back(std::move(node));
    } else if (!top.key) {
      if (node->kind != YamlNode::Kind::scalar) fail(mark, "a key is text");
      top.key = *node;
    } else {
      const YamlNode key = *std::move(top.key);
      top.key.reset();
      if (key.plain && plain_kind(key.text) == Plain::merge) return merge(mark, top, node);
      if (!top.given.insert(key.text).second) {
        fail(key.line, key.column, "'" + konfig::shorten(key.text, 60) + "' is given twice");
      }
      top.node->entries.push_back({key.text, key.line, std::move(node)});
    }
  }

  // `<<: *base`: the fields of other maps, unless given here.
  void merge(const YAML::Mark& mark, Level& level, const YamlPtr& from) {
    if (from->kind == YamlNode::Kind::sequence) {
      for (const YamlPtr& one : from->items) merge(mark, level, one);
      return;
    }
    if (from->kind != YamlNode::Kind::map) fail(mark, "<< takes a map or a list of maps");
    count(mark, from->entries.size());
    level.merged.insert(level.merged.end(), from->entries.begin(), from->entries.end());
  }

  const std::string& file_;
  std::vector<Level> levels_;
  std::unordered_map<YAML::anchor_t, Anchor> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// A scalar by the kind of a C++ type, for the elements of tuples.
Value element_value(const konfig::Type& type, const YamlNode& node);

Value items_value(const konfig::Type& type, const YamlNode& node) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const konfig::Type* element = type.element ? &type.element() : nullptr;
    if (type.kind == konfig::Kind::bits) element = &type;
    if (type.kind == konfig::Kind::tuple && i < type.fields.size())
      element = &type.fields[i].type();
    out.push_back(element ? element_value(*element, *node.items[i]) : yaml_value(*node.items[i]));
  }
  return konfig::Tuple(std::move(out));
}

Value element_value(const konfig::Type& type, const YamlNode& node) {
  using konfig::Kind;
  if (node.kind == YamlNode::Kind::sequence) return items_value(type, node);
  Field field;
  switch (type.kind) {
    case Kind::bits:  // an element of it
    case Kind::boolean:
      field.type = FieldType::boolean;
      break;
    case Kind::integer:
      field.type = FieldType::integer;
      break;
    case Kind::floating:
      field.type = FieldType::floating;
      break;
    case Kind::text:
      field.type = FieldType::text;
      break;
    default:
      return yaml_value(node);
  }
  return yaml_value(field, node);
}

// 0640 is 416 for YAML 1.1, and 640 on the command line.
void refuse_octal(const YamlNode& node) {
  if (!node.plain || plain_kind(node.text) != Plain::integer) return;
  const Value octal = plain_value(node.text);
  const auto decimal = read_int(node.text);
  if (!decimal || *decimal == octal) return;
  throw Error(ErrorKind::value, "'" + node.text + "' may be " + str(*decimal) +
                                    ", or octal as YAML reads it, " + str(octal) +
                                    "; write one of them");
}

Value scalar_value(const Field& field, const YamlNode& node) {
  const std::string& text = node.text;
  if (field.type == FieldType::text) return text;
  if (field.type == FieldType::integer || field.type == FieldType::floating) refuse_octal(node);
  if (field.type == FieldType::floating) {
    if (auto number = read_float(text)) return *number;
  }
  if (field.type == FieldType::integer) {
    if (auto number = read_int(text)) return *number;
  }
  if (field.type == FieldType::boolean) {
    if (auto boolean = read_bool(text)) return *boolean;
  }
  // 0x1F, .inf, on: what YAML knows beyond the command line.
  return plain_value(text);
}

}  // namespace

bool YamlNode::is_null() const {
  return kind == Kind::scalar && plain && plain_kind(text) == Plain::null;
}

YamlPtr read_yaml(std::string_view text, const std::string& file) {
  const std::string yaml = with_whole_letters(std::string(text));
  std::istringstream in(yaml);
  Reader reader(file);
  reader.check_characters(text);
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(reader)) {
    }
  } catch (const YAML::Exception& e) {
    reader.fail(e.mark, e.msg + (is_indented_by_tab(text, e.mark.line)
                                     ? "; the line is indented by a tab, and YAML wants spaces"
                                     : ""));
  }
  if (konfig::ends_within_quotes(yaml)) {
    reader.fail(reader.last_text, "a quoted text without an end");
  }
  if (!reader.result) reader.fail(1, 1, "the file is empty; a config file is a map of fields");
  const YamlNode& root = *reader.result;
  if (root.kind != YamlNode::Kind::map) {
    const bool is_list = root.kind == YamlNode::Kind::sequence;
    reader.fail(root.line, root.column,
                "expected a map of fields, got " +
                    (is_list          ? "a list"
                     : root.is_null() ? "nothing"
                                      : "'" + konfig::shorten(root.text, 40) + "'"));
  }
  return reader.result;
}

Value yaml_value(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::scalar) {
    return node.plain ? plain_value(node.text) : Value(node.text);
  }
  if (node.kind == YamlNode::Kind::map) {
    konfig::Dict out;
    for (auto& entry : node.entries) out.set(entry.key, yaml_value(*entry.value));
    return out;
  }
  std::vector<Value> out;
  for (const YamlPtr& item : node.items) out.push_back(yaml_value(*item));
  return konfig::Tuple(std::move(out));
}

Value yaml_value(const Field& field, const YamlNode& node) {
  if (node.is_null()) return {};
  if (node.kind == YamlNode::Kind::scalar) return scalar_value(field, node);
  if (node.kind == YamlNode::Kind::sequence && field.exact) {
    const bool optional = field.exact->kind == konfig::Kind::optional;
    return items_value(optional ? field.exact->element() : *field.exact, node);
  }
  return yaml_value(node);
}

}  // namespace tfimm::train::detail
