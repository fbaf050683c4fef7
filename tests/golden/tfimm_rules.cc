// The rules of tfimm's configs, as plainly as they can be said.
#include "tests/golden/tfimm_rules.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <regex>
#include <set>

#include "konfig/error.h"
#include "konfig/literal.h"
#include "tfimm/train/registry.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;
using tfimm::train::ConfigClassPtr;
using tfimm::train::Field;
using tfimm::train::FieldType;

using MaybeValue = std::optional<Value>;

// ---- Values by declared type; nothing: it does not fit.

Value tuples(const Value& value) {
  const konfig::Sequence* items = value.get_if<List>();
  if (!items) items = value.get_if<Tuple>();
  if (!items) return value;
  std::vector<Value> out;
  for (const Value& item : *items) out.push_back(tuples(item));
  return Tuple(std::move(out));
}

MaybeValue from_value(const Field& field, const Value& value) {
  if (field.open || (field.nullable && value.is_none())) return value;
  switch (field.type) {
    case FieldType::integer:
      return value.is<std::int64_t>() ? MaybeValue(value) : std::nullopt;
    case FieldType::floating:
      if (value.is<std::int64_t>()) return static_cast<double>(value.as<std::int64_t>());
      return value.is<double>() ? MaybeValue(value) : std::nullopt;
    case FieldType::boolean:
      return value.is<bool>() ? MaybeValue(value) : std::nullopt;
    case FieldType::tuple:
      return value.is<Tuple>() || value.is<List>() ? MaybeValue(tuples(value)) : std::nullopt;
    default:
      return value.is<std::string>() ? MaybeValue(value) : std::nullopt;
  }
}

MaybeValue from_text(FieldType type, const std::string& text) {
  static const std::regex whole(R"(\s*[-+]?\d+(_\d+)*\s*)");
  static const std::regex number(
      R"(\s*[-+]?((\d+(_\d+)*\.?|\.\d)[\d_]*([eE][-+]?\d+)?|\.?inf(inity)?|\.?nan)\s*)",
      std::regex::icase);
  std::string digits = text;
  std::erase(digits, '_');
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(c));
  switch (type) {
    case FieldType::integer:
      if (!std::regex_match(text, whole)) return std::nullopt;
      return static_cast<std::int64_t>(std::stoll(digits));
    case FieldType::floating: {
      if (!std::regex_match(text, number)) return std::nullopt;
      const auto dot = digits.find_first_of("iIn");  // ".inf" is YAML's
      if (dot != digits.npos && dot > 0 && digits[dot - 1] == '.') digits.erase(dot - 1, 1);
      return std::strtod(digits.c_str(), nullptr);
    }
    case FieldType::boolean:
      for (const char* yes : {"yes", "true", "t", "y", "1", "on"}) {
        if (lower == yes) return true;
      }
      for (const char* no : {"no", "false", "f", "n", "0", "off"}) {
        if (lower == no) return false;
      }
      return std::nullopt;
    case FieldType::tuple:
      try {
        const Value value = konfig::parse_literal(text);
        return value.is<Tuple>() ? MaybeValue(value) : std::nullopt;
      } catch (const konfig::Error&) {
        return std::nullopt;
      }
    default:
      return text;
  }
}

FieldType type_at_hand(const Value& value) {
  if (value.is<bool>()) return FieldType::boolean;
  if (value.is<std::int64_t>()) return FieldType::integer;
  if (value.is<double>()) return FieldType::floating;
  return value.is<Tuple>() || value.is<List>() ? FieldType::tuple : FieldType::text;
}

// ---- What code and file say, as trees.

struct Node {
  MaybeValue value = {};                 // of code, and what is no scalar in a file
  std::optional<std::string> text = {};  // a scalar of a file
  std::vector<std::pair<std::string, Node>> children = {};

  const Node* find(const std::string& key) const {
    for (auto& [name, node] : children) {
      if (name == key) return &node;
    }
    return nullptr;
  }
  Node& at(const std::string& key) {
    const auto dot = key.find('.');
    if (dot != key.npos) return at(key.substr(0, dot)).at(key.substr(dot + 1));
    if (const Node* known = find(key)) return const_cast<Node&>(*known);
    return children.emplace_back(key, Node()).second;
  }
  bool is_none() const { return value && value->is_none(); }
  // By the declared type; nothing: it does not fit.
  MaybeValue as(const Field& field) const {
    if (text && field.open) return untyped();
    if (text) return from_text(field.type, *text);
    return value ? from_value(field, *value) : std::nullopt;
  }
  Value untyped() const {
    if (!text) return value.value_or(Value());
    for (FieldType type : {FieldType::integer, FieldType::floating}) {
      if (auto number = from_text(type, *text)) return *number;
    }
    if (text->size() > 1) {
      if (auto boolean = from_text(FieldType::boolean, *text)) return *boolean;
    }
    return *text;
  }
};

void add_code(Node& out, const Value& cfg) {
  const Dict fields = cfg.is<Dict>() ? cfg.as<Dict>() : tfimm::train::fields_of(cfg);
  for (auto& [key, value] : fields) {
    Node& node = out.at(key.as<std::string>());
    if (value.is<Dict>() || tfimm::train::class_of(value)) {
      add_code(node, value);
    } else {
      node.value = value;
    }
  }
}

Node yaml_scalar(const YAML::Node& yaml) {
  Node out;
  if (yaml.IsNull()) {
    out.value = Value();
  } else {
    out.text = yaml.Scalar();
  }
  return out;
}

Value yaml_items(const YAML::Node& yaml) {
  if (!yaml.IsSequence()) return yaml_scalar(yaml).untyped();
  List out;
  for (const YAML::Node& item : yaml) out.push_back(yaml_items(item));
  return tuples(out);
}

void add_file(Node& out, const YAML::Node& map) {
  for (const auto& entry : map) {
    Node& node = out.at(entry.first.Scalar());
    if (entry.second.IsMap()) {
      add_file(node, entry.second);
    } else if (entry.second.IsSequence()) {
      node.value = yaml_items(entry.second);
    } else {
      node = yaml_scalar(entry.second);
    }
  }
}

// ---- The rules.

// A source at a place, and the class that the place has as far as this source knows.
struct Source {
  const Node* node = nullptr;
  ConfigClassPtr cls = nullptr;
};
struct Place {
  std::string path;
  ConfigClassPtr cls;
  Source code, file;
};

ConfigClassPtr class_called(const std::string& name) {
  return name.empty() ? nullptr : tfimm::train::get_cfg_class(name);
}

class Rules {
 public:
  Rules(const RuleInput& input) : input_(input) {
    add_code(code_, input.cfg);
    for (std::size_t i = 0; i < input.argv.size(); ++i) {
      const std::string& word = input.argv[i];
      const auto equals = word.find('=');
      if (equals != word.npos) {
        words_.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
      } else if (word != "--help" && word != "-h" && i + 1 < input.argv.size()) {
        words_.emplace_back(word.substr(2), input.argv[++i]);
      }
    }
  }

  RuleOutcome run() {
    // A beginning may stand for a flag that a class chosen by another beginning brings.
    for (std::size_t i = 0; i <= words_.size(); ++i) {
      out_ = {};
      names_.clear();
      without_class_.clear();
      read_file();
      Place top{.path = "", .cls = input_.cls, .code = {}, .file = {}};
      if (!top.cls) top.cls = tfimm::train::class_of(input_.cfg);
      if (!top.cls) top.cls = class_of_map();
      top.code = {&code_, top.cls};
      top.file = {file_.get(), top.cls};
      out_.value = fill(top);
      if (!complete_words()) break;
    }
    for (auto& [name, value] : words_) {
      if (!names_.contains(name)) out_.wrong.emplace_back(why_unknown(name), name);
    }
    return out_;
  }

 private:
  // The last of two wins.
  const std::string* flag(const std::string& name) const {
    for (auto word = words_.rbegin(); word != words_.rend(); ++word) {
      if (word->first == name) return &word->second;
    }
    return nullptr;
  }

  std::vector<std::string> beginning_with(const std::string& text) const {
    std::vector<std::string> out;
    std::ranges::copy_if(names_, std::back_inserter(out),
                         [&](const std::string& known) { return known.starts_with(text); });
    return out;
  }

  bool complete_words() {
    bool any = false;
    for (auto& [name, value] : words_) {
      const auto candidates = beginning_with(name);
      if (names_.contains(name) || candidates.size() != 1) continue;
      name = candidates[0];
      any = true;
    }
    return any;
  }

  std::string why_unknown(const std::string& name) const {
    if (names_.contains(name + "_class")) return "not a value";
    if (beginning_with(name).size() > 1) return "ambiguous";
    for (auto dot = name.rfind('.'); dot != name.npos;
         dot = dot ? name.rfind('.', dot - 1) : name.npos) {
      const std::string path = name.substr(0, dot);
      if (without_class_.contains(path)) return "no class yet";
      if (names_.contains(path + "_class")) return "no field";
    }
    return "unknown flag";
  }

  void read_file() {
    std::string name;
    if (const Node* node = code_.find("cfg_file"); node && node->value) {
      name = node->value->is<std::string>() ? node->value->as<std::string>() : "";
    }
    if (const std::string* given = flag("cfg_file")) name = *given;
    file_.reset();
    if (name.empty() || name != input_.yaml_file) return;
    file_ = std::make_unique<Node>();
    add_file(*file_, YAML::Load(input_.yaml));
  }

  // Of a plain map: its keys, with the types of their values.
  ConfigClassPtr class_of_map() const {
    std::vector<Field> fields;
    auto known = [&](const std::string& name) {
      return std::ranges::any_of(fields, [&](auto& field) { return field.name == name; });
    };
    auto given = [&](const std::string& name) {
      return code_.find(name) || (file_ && file_->find(name));
    };
    for (const Node* source :
         {static_cast<const Node*>(&code_), static_cast<const Node*>(file_.get())}) {
      if (!source) continue;
      for (auto& [key, node] : source->children) {
        if (known(key)) continue;
        if (key.ends_with("_class")) {
          fields.push_back({.name = key, .type = FieldType::text});
          const std::string x = key.substr(0, key.size() - 6);
          if (!given(x)) fields.push_back({.name = x, .type = FieldType::any, .nullable = true});
        } else if (given(key + "_class")) {
          fields.push_back({.name = key, .type = FieldType::any, .nullable = true});
        } else {
          fields.push_back(
              {.name = key, .type = type_at_hand(node.untyped()), .nullable = true, .open = true});
        }
      }
    }
    return tfimm::train::make_config_class("", std::move(fields));
  }

  static std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  void add_flag(const Place& place, const Field& field, const MaybeValue& otherwise) {
    names_.insert(below(place.path, field.name));
    out_.flags.emplace_back(below(place.path, field.name), otherwise);
  }

  Value fill(const Place& place) {
    for (const Source* source : {&place.code, &place.file}) check_keys(place, *source);
    Dict fields;
    for (const Field& field : place.cls->fields) {
      if (place.cls->class_field(field)) continue;
      if (const Field* x = place.cls->chosen_by(field)) {
        choose(place, field, *x, fields);
      } else if (auto value = leaf(place, field)) {
        fields.set(field.name, *value);
      }
    }
    Dict in_order;
    for (const Field& field : place.cls->fields) {
      if (const Value* value = fields.find(field.name)) in_order.set(field.name, *value);
    }
    if (!out_.wrong.empty()) return {};
    return place.cls->name.empty() ? Value(in_order)
                                   : tfimm::train::make_unchecked(place.cls, in_order);
  }

  // An unknown key is an error, unless a class that was switched away has it.
  void check_keys(const Place& place, const Source& source) {
    if (!source.node) return;
    for (auto& [key, node] : source.node->children) {
      const bool left = source.cls && source.cls != place.cls && source.cls->find(key);
      if (!place.cls->find(key) && !left) {
        out_.wrong.emplace_back("no field", below(place.path, key));
      }
    }
  }

  static bool keeps(const ConfigClassPtr& from, const ConfigClassPtr& to, const Field& field) {
    if (!from || from == to) return true;
    const Field* old = from->find(field.name);
    const Field* same = to ? to->find(field.name) : nullptr;
    return to &&
           (!old || (same && (old->type == same->type || (old->type == FieldType::integer &&
                                                          same->type == FieldType::floating))));
  }

  // What the source gives for a field. A class that was switched away leaves the fields that both
  // have.
  const Node* given(const Place& place, const Source& source, const Field& field) const {
    const Node* node = source.node ? source.node->find(field.name) : nullptr;
    const bool in_code = &source == &place.code;
    if (!node || !keeps(place.file.cls, place.cls, field)) return nullptr;
    return !in_code || keeps(source.cls, place.file.cls, field) ? node : nullptr;
  }

  MaybeValue leaf(const Place& place, const Field& field) {
    const std::string path = below(place.path, field.name);
    const Node* node = given(place, place.file, field);
    if (!node) node = given(place, place.code, field);
    MaybeValue value = node ? node->as(field) : field.default_value;
    add_flag(place, field, node && !value ? node->untyped() : value);
    if (const std::string* text = flag(path)) {
      MaybeValue read = from_text(field.type, *text);
      if (!read) out_.wrong.emplace_back("expected", path);
      return read;
    }
    if (node && !value) out_.wrong.emplace_back("expected", path);
    if (!node && !value) out_.wrong.emplace_back("not given", path);
    if (!node && value && field.type == FieldType::tuple) return tuples(*value);
    return value;
  }

  void choose(const Place& place, const Field& x_class, const Field& x, Dict& out) {
    const std::string path = below(place.path, x.name);
    auto named = [&](const Source& source) -> std::optional<std::string> {
      const Node* node = given(place, source, x_class);
      if (!node) return std::nullopt;
      if (node->is_none()) return "";
      const MaybeValue name = node->as(x_class);
      return name ? name->as<std::string>() : "";
    };
    auto default_of = [&](const ConfigClassPtr& cls) -> std::optional<std::string> {
      const Field* field = cls ? cls->find(x_class.name) : nullptr;
      if (!field || !field->default_value) return std::nullopt;
      return field->default_value->is_none() ? "" : field->default_value->as<std::string>();
    };
    const auto in_code = named(place.code), in_file = named(place.file);
    std::optional<std::string> chosen = in_file ? in_file : in_code;
    if (!chosen) chosen = default_of(place.cls);
    add_flag(place, x_class, chosen ? MaybeValue(*chosen) : std::nullopt);
    if (const std::string* text = flag(below(place.path, x_class.name))) chosen = *text;
    if (!chosen || chosen->empty()) without_class_.insert(path);
    if (!chosen) return out_.wrong.emplace_back("not given", path + "_class"), void();
    out.set(x_class.name, *chosen);

    const std::string code_class = in_code.value_or(default_of(place.code.cls).value_or(""));
    const std::string file_class =
        in_file.value_or(in_code.value_or(default_of(place.file.cls).value_or("")));
    auto part = [&](const Source& source, const std::string& name) -> Source {
      const Node* node = given(place, source, x);
      return {node && !node->is_none() ? node : nullptr, class_called(name)};
    };
    Place inner{.path = path,
                .cls = class_called(*chosen),
                .code = part(place.code, code_class),
                .file = part(place.file, file_class)};
    // None in the file takes back what code gave.
    const Node* file_x = given(place, place.file, x);
    if (file_x && file_x->is_none()) inner.code.node = nullptr;
    if (inner.cls) {
      out.set(x.name, fill(inner));
      return;
    }
    out.set(x.name, Value());
    for (const Source* source : {&inner.code, &inner.file}) {
      for (auto& [key, node] : source->node ? source->node->children : Node().children) {
        const bool left = source->cls && source->cls->find(key);
        if (!left) out_.wrong.emplace_back("_class is empty", below(path, key));
      }
    }
  }

  const RuleInput& input_;
  std::vector<std::pair<std::string, std::string>> words_;
  Node code_;
  std::unique_ptr<Node> file_;
  std::set<std::string> names_;          // of flags
  std::set<std::string> without_class_;  // places
  RuleOutcome out_;
};

}  // namespace

RuleOutcome apply_rules(const RuleInput& input) { return Rules(input).run(); }

}  // namespace golden
