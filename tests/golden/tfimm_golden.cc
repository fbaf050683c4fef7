// Golden test of tfimm: walks the cases of $KD_GOLDEN/tfimm/cases.json (by default the copy in this
// folder). In those about registry, formats and discovery the classes are those that the cases
// describe, so that a folder with others needs no new code.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "base/file.h"
#include "base/temp_folder.h"
#include "konfig/json.h"
#include "test_paths.h"
#include "tests/golden/compare.h"
#include "tests/golden/tfimm_classes.h"
#include "tests/golden/tfimm_rules.h"
#include "tests/golden/walk.h"
#include "tfimm/train/train.h"

namespace golden {
namespace {

namespace train = tfimm::train;
using konfig::Dict;
using konfig::List;
using konfig::Tuple;
using konfig::Value;

// What a call gave: a value, or the text of an error.
struct Outcome {
  Value value;
  std::optional<std::string> error = {};
};

Outcome outcome_of(const std::function<Value()>& call) {
  try {
    return {call()};
  } catch (const konfig::Error& e) {
    return {{}, e.what()};
  }
}

const Dict* error_in(const Value& expected) {
  auto* dict = expected.get_if<Dict>();
  return dict && dict->find("error") ? dict : nullptr;
}

// The names that an error of the reference speaks of: flags, keys, classes, files.
std::set<std::string> names_in(const Dict& error) {
  const std::string& kind = error.at("error").as<std::string>();
  const std::string& message = error.at("message").as<std::string>();
  if (kind == "KeyError") return {message};
  std::set<std::string> out;
  auto collect = [&](const char* pattern) {
    const std::regex regex(pattern);
    for (std::sregex_iterator it(message.begin(), message.end(), regex), last; it != last; ++it) {
      out.insert((*it)[1]);
    }
  };
  if (message.starts_with("During the last parsing")) {
    collect("'(--?[^'=]+)");
  } else if (kind == "TypeError" && message.find("argument") != message.npos) {
    collect("'([^']+)'");
  } else if (kind == "FileNotFoundError") {
    collect("'DIR([^']+)'");
  } else {
    collect("(--[\\w.]+)");
    collect("key `?(\\w+)");
    collect("Argument (\\w+) was not supplied");
  }
  return out;
}

// Same content, whatever the order of keys in plain maps.
bool equal_in_any_order(const Value& a, const Value& b) {
  auto* x = a.get_if<Dict>();
  auto* y = b.get_if<Dict>();
  if (!x || !y) return identical(a, b);
  if (x->size() != y->size()) return false;
  for (auto& [key, value] : *x) {
    const Value* other = y->find(key);
    if (!other || !equal_in_any_order(value, *other)) return false;
  }
  return true;
}

// The items of a list, or of a tuple as it is encoded; nullptr: it is neither.
const List* items_of(const Value& value) {
  if (auto* list = value.get_if<List>()) return list;
  auto* dict = value.get_if<Dict>();
  const Value* tuple = dict ? dict->find("$tuple") : nullptr;
  return tuple ? tuple->get_if<List>() : nullptr;
}

// Numbers, texts, booleans, and lists and tuples that differ in their type only: 3, 3.0, "3".
bool equal_but_types(const Value& a, const Value& b) {
  auto *left = items_of(a), *right = items_of(b);
  if (left && right) return std::ranges::equal(*left, *right, equal_but_types);
  auto* x = a.get_if<Dict>();
  auto* y = b.get_if<Dict>();
  if (x && y) {
    if (x->size() != y->size()) return false;
    for (auto& [key, value] : *x) {
      const Value* other = y->find(key);
      if (!other || !equal_but_types(value, *other)) return false;
    }
    return true;
  }
  if (x || y || left || right) return identical(a, b);
  auto plain = [](const Value& v) { return v.is<std::string>() ? v.as<std::string>() : show(v); };
  return a == b || plain(a) == plain(b);
}

// Whether an outcome is what the rules give: the value, or an error that names all that is wrong.
bool follows(const RuleOutcome& rules, const Value& encoded, const Outcome& ours) {
  if (rules.wrong.empty()) return !ours.error && identical(encoded, ours.value);
  return ours.error && std::ranges::all_of(rules.wrong, [&](auto& wrong) {
           return ours.error->find(wrong.first) != std::string::npos &&
                  ours.error->find(wrong.second) != std::string::npos;
         });
}

Value as_help(const RuleOutcome& rules) {
  List out;
  for (auto& [name, value] : rules.flags) {
    const bool text = value && value->is<std::string>();
    out.push_back(List{name, !value ? Value() : text ? *value : Value(value->repr())});
  }
  return out;
}

// The flags of a help text with their defaults, in order. Long ones go on in the next line.
Value flags_in_help(const std::string& text) {
  static const std::regex start(R"(\n  --([\w.]+))"), space(R"(\s+)");
  List out;
  for (std::sregex_iterator it(text.begin(), text.end(), start), last; it != last;) {
    const std::string name = (*it)[1];
    const auto from = static_cast<std::size_t>(it->position() + it->length());
    const auto to = ++it == last ? text.size() : static_cast<std::size_t>(it->position());
    const std::string entry = std::regex_replace(text.substr(from, to - from), space, " ");
    constexpr std::string_view kDefault = "(default: ";
    const auto at = entry.find(kDefault);
    if (at == entry.npos) {
      out.push_back(List{name, nullptr});
    } else {
      const auto value = at + kDefault.size();
      out.push_back(List{name, entry.substr(value, entry.rfind(')') - value)});
    }
  }
  return out;
}

// Groups about the classes of kd/problems.
bool is_shipped(const std::string& group) {
  return group == "shipped_classes" || group == "timekeeping" || group == "lr_schedule";
}

// What those classes make of the cases. They are another program's, see tfimm_shipped_main.cc.
Dict shipped_outputs() {
  const std::string command = "\"" KD_BINARY_DIR "/tests/golden_tfimm_shipped\" < \"" +
                              golden_folder() + "/tfimm/cases.json\"";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char part[4096];
  while (std::size_t n = pipe ? std::fread(part, 1, sizeof(part), pipe) : 0) text.append(part, n);
  if (!pipe || ::pclose(pipe) != 0) throw std::runtime_error("golden_tfimm_shipped failed");
  return konfig::parse_json(text).as<Dict>();
}

bool close(const Value& wanted, const Value& ours, const Dict& tolerance) {
  const auto *x = wanted.get_if<List>(), *y = ours.get_if<List>();
  if (!x || !y || x->size() != y->size()) return false;
  const double rtol = tolerance.at("rtol").as<double>(), atol = tolerance.at("atol").as<double>();
  for (std::size_t i = 0; i < x->size(); ++i) {
    const double a = (*x)[i].as<double>(), b = (*y)[i].as<double>();
    if (!(std::abs(a - b) <= atol + rtol * std::abs(a))) return false;
  }
  return true;
}

class Runner {
 public:
  explicit Runner(const List& cases) : classes_(cases) {}

  Problems run(const Dict& c, Differences& differences) {
    const std::string& group = c.at("group").as<std::string>();
    const Dict& args = c.at("args").as<Dict>();
    const Dict& outputs = c.at("outputs").as<Dict>();
    if (group == "classes") return {};
    if (is_shipped(group)) return unexcused(compare_shipped(c), c, differences);
    std::vector<Mismatch> mismatches;
    rules_ = group == "parse_args" || group == "to_cls_format" || group == "help" ? &args : nullptr;
    auto compare_with = [&](const char* output, const std::function<Value()>& call) {
      compare(output, outputs.at(output), outcome_of(call), mismatches);
    };
    if (group == "registry") {
      const std::string& name = args.at("name").as<std::string>();
      compare_with("cfg_class", [&] { return Value(train::get_cfg_class(name)->name); });
      compare_with("class", [&] { return Value(train::get_class(name).name()); });
    } else if (group == "parse_args") {
      compare_with("result", [&] { return parse(args); });
    } else if (group == "dump_config") {
      compare_with("yaml", [&] { return dump(args); });
    } else if (group == "pprint") {
      compare_with("lines", [&] {
        List lines;
        for (auto& line : train::pprint_lines(decode(args.at("cfg")))) lines.push_back(line);
        return lines;
      });
    } else if (group == "help") {
      compare_help(args, outputs.at("text").as<std::string>(), mismatches);
    } else {
      compare_with("result", [&] { return convert(group, decode(args.at("value"))); });
    }
    return unexcused(mismatches, c, differences);
  }

 private:
  std::vector<Mismatch> compare_shipped(const Dict& c) {
    if (!shipped_) shipped_ = shipped_outputs();
    const Dict& ours = shipped_->at(c.at("name")).as<Dict>();
    std::vector<Mismatch> out;
    for (auto& [key, expected] : c.at("outputs").as<Dict>()) {
      const std::string output = key.as<std::string>();
      const Value& value = ours.at(key);
      auto* found = value.get_if<Dict>();
      const bool failed = found && found->find("error");
      if (output == "fields") {
        compare_fields(expected.as<List>(), value.as<List>(), out);
      } else if (error_in(expected)) {
        if (!failed) out.push_back({output, show(expected), show(value), "accepted here"});
      } else if (failed) {
        out.push_back({output, show(expected), show(value), "refused here"});
      } else if (output == "lr_at_step" ? !close(expected, value, c.at("tolerance").as<Dict>())
                                        : !identical(expected, value)) {
        out.push_back({output, show(expected), show(value), "another value"});
      }
    }
    return out;
  }
  // One by one: name, type and default.
  static void compare_fields(const List& expected, const List& ours, std::vector<Mismatch>& out) {
    for (std::size_t i = 0; i < std::max(expected.size(), ours.size()); ++i) {
      const Value wanted = i < expected.size() ? expected[i] : Value();
      const Value found = i < ours.size() ? ours[i] : Value();
      if (!identical(wanted, found)) {
        out.push_back({"fields", show(wanted), show(found), "another default"});
      }
    }
  }

  Value decode(const Value& json) const { return classes_.decode(json, folder_.path().string()); }
  Value encode(const Value& value) const { return classes_.encode(value, folder_.path().string()); }

  Value convert(const std::string& group, const Value& value) const {
    if (group == "to_dict_format") return encode(train::to_dict_format(value));
    const Dict& dict = value.as<Dict>();
    if (group == "to_cls_format") return encode(train::to_cls_format(dict));
    if (group == "deep_to_flat") return encode(train::deep_to_flat(dict));
    if (group == "flat_to_deep") return encode(train::flat_to_deep(dict));
    if (group == "check_format") return encode(train::check_format(dict));
    if (group == "to_arg_format") return with_types(train::to_arg_format(dict));
    throw std::runtime_error("unknown group " + group);
  }

  // {"a": ("int", 3)} as the reference has it: the type is a type.
  Value with_types(const Dict& cfg) const {
    Dict out;
    for (auto& [key, value] : cfg) {
      if (auto* pair = value.get_if<Tuple>()) {
        out.set(key, Dict{{"$tuple", List{Dict{{"$type", (*pair)[0]}}, encode((*pair)[1])}}});
      } else {
        out.set(key, with_types(value.as<Dict>()));
      }
    }
    return out;
  }

  std::vector<std::string> words_of(const Dict& args) const {
    std::vector<std::string> out;
    for (const Value& word : args.at("argv").as<List>()) {
      out.push_back(decode(word).as<std::string>());
    }
    return out;
  }

  Value parse(const Dict& args) const {
    if (const Value* yaml = args.find("yaml")) {
      std::ofstream(folder_.path() / "config.yaml") << yaml->as<std::string>();
    }
    const Value* cls = args.find("cfg_class");
    return encode(train::parse_args(decode(args.at("cfg")), words_of(args),
                                    cls ? classes_.at(cls->as<std::string>()) : nullptr));
  }

  Value dump(const Dict& args) const {
    const auto file = folder_.path() / "sub" / "dump.yaml";
    train::dump_config(decode(args.at("cfg")), file);
    return base::read_file(file);
  }

  // Of help the flags, their order and their defaults count.
  void compare_help(const Dict& args, const std::string& expected,
                    std::vector<Mismatch>& mismatches) const {
    std::string ours;
    try {
      train::parse_args(decode(args.at("cfg")), words_of(args));
    } catch (const train::HelpRequested& help) {
      ours = help.text();
    }
    compare("text", flags_in_help(expected), {flags_in_help(ours)}, mismatches);
  }

  // Where we differ from the reference, our own rules decide; "": they agree with what we gave.
  std::string against_rules(const Outcome& ours) const {
    if (!rules_) return "";
    const Value* argv = rules_->find("argv");
    const Value* cls = rules_->find("cfg_class");
    const Value* yaml = rules_->find("yaml");
    const Value* value = rules_->find("value");
    const RuleInput input{.cfg = decode(value ? *value : rules_->at("cfg")),
                          .cls = cls ? classes_.at(cls->as<std::string>()) : nullptr,
                          .argv = argv ? words_of(*rules_) : std::vector<std::string>(),
                          .yaml = yaml ? yaml->as<std::string>() : "",
                          .yaml_file = (folder_.path() / "config.yaml").string()};
    const RuleOutcome rules = apply_rules(input);
    if (ours.value.is<List>())
      return identical(as_help(rules), ours.value) ? "" : show(as_help(rules));
    const Value encoded = encode(rules.value);
    if (follows(rules, encoded, ours)) return "";
    std::string wrong;
    for (auto& [kind, place] : rules.wrong) wrong += place + ": " + kind + "; ";
    return wrong.empty() ? show(encoded) : wrong;
  }

  void compare(const char* output, const Value& expected, const Outcome& ours,
               std::vector<Mismatch>& mismatches) const {
    const std::string shown = ours.error ? "error: " + *ours.error : show(ours.value);
    auto differs = [&](const char* topic) {
      const std::string rules = against_rules(ours);
      if (rules.empty()) {
        mismatches.push_back({output, show(expected), shown, topic});
      } else {
        mismatches.push_back({output, "by our rules: " + rules, shown, "against our rules"});
      }
    };
    if (const Dict* error = error_in(expected)) {
      if (!ours.error) return differs("accepted here");
      for (const std::string& name : names_in(*error)) {
        if (ours.error->find(name) == std::string::npos) return differs("another error");
      }
    } else if (ours.error) {
      differs("refused here");
    } else if (!identical(expected, ours.value)) {
      differs(equal_in_any_order(expected, ours.value) ? "order of keys"
              : equal_but_types(expected, ours.value)  ? "declared type"
                                                       : "another value");
    }
  }

  TfimmClasses classes_;
  std::optional<Dict> shipped_;
  base::TempFolder folder_;
  const Dict* rules_ = nullptr;  // of a case that the rules know: its input
};

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  std::optional<golden::Runner> runner;
  return golden::walk("tfimm", {argv + 1, argv + argc},
                      [&](const konfig::Dict& c, golden::Differences& differences) {
                        if (!runner)
                          runner.emplace(golden::cases_of(golden::load_document("tfimm")));
                        return runner->run(c, differences);
                      });
}
