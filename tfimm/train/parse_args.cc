#include "tfimm/train/parse_args.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/file.h"
#include "base/join.h"
#include "konfig/suggest.h"
#include "tfimm/train/discover_impl.h"
#include "tfimm/train/help_impl.h"
#include "tfimm/train/registry.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train {

using konfig::Error;
using konfig::ErrorKind;

namespace {

using detail::Chosen;
using detail::Flags;
using detail::Found;
using detail::Given;
using detail::Word;

constexpr const char* kFileField = "cfg_file";

// The config as far as it is known: a struct may leave Required fields open, at any depth.
Dict given_fields(const Value& cfg) {
  Dict out;
  const auto* map = cfg.get_if<Dict>();
  for (auto& [key, value] : map ? *map : fields_of(cfg)) {
    out.set(key, value.is<Dict>() || class_of(value) ? Value(given_fields(value)) : value);
  }
  return out;
}

class Parser {
 public:
  Parser(const Value& cfg, const std::vector<std::string>& args, ConfigClassPtr cls)
      : flags_(args), cls_(std::move(cls)) {
    if (!cls_) cls_ = class_of(cfg);
    if (!cfg.is<Dict>() && !class_of(cfg)) {
      throw Error(ErrorKind::type, "expected a config or a map, got " + cfg.repr());
    }
    code_ = detail::given_in_code(given_fields(cfg));
  }

  // A file that is not on disk.
  void set_file(const std::string& text, const std::string& name) {
    file_ = detail::given_in_file(*detail::read_yaml(text, name), name);
    has_text_ = true;
  }

  // Finds flags until no beginning of one is left to complete.
  void run() {
    do {
      load_file();
      found_ = detail::discover(cls_ ? cls_ : detail::class_of_map(*code_, file_.get()), *code_,
                                file_.get(), flags_);
      known_ = {};
      for (auto& flag : found_.flags) known_.add(flag.name);
    } while (flags_.complete(known_));
  }

  Value result() const {
    std::vector<Error> errors = found_.errors;
    for (const Word& word : flags_.words()) check(word, errors);
    if (errors.size() == 1 && found_.missing.empty()) throw errors[0];
    if (errors.empty() && found_.missing.empty()) return found_.config;
    throw Error(errors.empty() ? ErrorKind::required : errors[0].kind(), all_texts(errors));
  }

  // Of the classes chosen, below what is wrong with the flags.
  std::string help() const {
    std::vector<Error> errors = found_.errors;
    for (const Word& word : flags_.words()) check(word, errors);
    return base::join(errors, "",
                      [](auto& e) { return "error: " + std::string(e.what()) + "\n"; }) +
           (errors.empty() ? "" : "\n") + detail::help_text(found_.flags);
  }

  const Flags& flags() const { return flags_; }
  const Found& found() const { return found_; }

 private:
  // ---- The file.

  std::string file_name() const {
    if (const Word* word = flags_.find(kFileField)) return word->value.value_or("");
    const Given* given = code_->find(kFileField);
    Value value = given && !given->is_map ? given->untyped() : Value();
    const Field* field = cls_ ? cls_->find(kFileField) : nullptr;
    if (!given && field && field->default_value) value = *field->default_value;
    return value.is<std::string>() ? value.as<std::string>() : "";
  }

  void load_file() {
    if (has_text_) return;
    const bool expected =
        cls_ ? cls_->find(kFileField) != nullptr : code_->find(kFileField) != nullptr;
    const std::string name = expected ? file_name() : "";
    if (name == file_name_) return;
    file_name_ = name;
    file_ = nullptr;
    if (name.empty()) return;
    std::string text;
    try {
      text = base::read_file(name);
    } catch (const base::FileError& e) {
      throw Error(ErrorKind::value, kFileField + std::string(": ") + e.what());
    }
    file_ = detail::given_in_file(*detail::read_yaml(text, name), name);
  }

  // ---- What is left of the command line.

  void check(const Word& word, std::vector<Error>& errors) const {
    if (!word.is_flag) {
      const bool file = (word.typed.ends_with(".yaml") || word.typed.ends_with(".yml")) &&
                        known_.contains(kFileField);
      errors.push_back(
          Error(ErrorKind::key,
                "unexpected argument '" + word.typed + "'; " +
                    (file ? "did you mean --" + std::string(kFileField) + "=" + word.typed + "?"
                          : "values are given as --flag=value")));
      return;
    }
    const std::string typed = word.typed.substr(2, word.typed.find('=') - 2);
    const auto candidates =
        known_.contains(typed) ? std::vector<std::string>() : known_.beginning_with(typed);
    if (candidates.size() > 1 && known_.contains(typed + std::string(kClassSuffix))) {
      errors.push_back(Error(
          ErrorKind::key, "--" + typed + ": not a value; choose its class with --" + typed +
                              "_class=NAME and set its fields with --" + typed + ".FIELD=VALUE"));
    } else if (candidates.size() > 1) {
      const std::string all = base::join_or(candidates, [](auto& name) { return "--" + name; });
      errors.push_back(Error(ErrorKind::key, "--" + typed + ": ambiguous, could be " + all));
    } else if (!known_.contains(word.name)) {
      if (auto error = unknown(word)) errors.push_back(*error);
    } else if (word.value && &word != flags_.find(word.name)) {
      check_replaced(word, errors);
    }
  }

  // The last of two wins, but the first must make sense, too.
  void check_replaced(const Word& word, std::vector<Error>& errors) const {
    auto flag = std::find_if(found_.flags.begin(), found_.flags.end(),
                             [&](auto& f) { return f.name == word.name; });
    try {
      detail::read_text(flag->field, *word.value);
    } catch (const Error& e) {
      errors.push_back(Error(e.kind(), "--" + word.name + ": " + e.message()));
    }
  }

  // Why there is no such flag; nothing: its class is unknown, which is an error already.
  std::optional<Error> unknown(const Word& word) const {
    const std::string place = "--" + word.name;
    const std::string more = word.value && word.typed.find('=') == word.typed.npos
                                 ? " ('" + *word.value + "' follows it)"
                                 : "";
    for (auto dot = word.name.rfind('.'); dot != word.name.npos && dot > 0;
         dot = word.name.rfind('.', dot - 1)) {
      auto it = found_.chosen.find(word.name.substr(0, dot));
      if (it == found_.chosen.end()) continue;
      if (it->second.unknown) return std::nullopt;
      return Error(ErrorKind::key, place + ": " + why(it->first, it->second, word.name) + more);
    }
    return Error(ErrorKind::key, place + ": " + "unknown flag" + suggestion(word.name) + more);
  }

  std::string why(const std::string& path, const Chosen& chosen, const std::string& name) const {
    if (chosen.cls) {
      return chosen.cls->name + " has no field '" + name.substr(path.size() + 1) + "'" +
             suggestion(name) + " (" + detail::origin(chosen) + ")";
    }
    const auto names = class_names(path.substr(path.rfind('.') + 1));
    return path + " has no class yet; choose one with --" + path + "_class=NAME" +
           (names.empty() ? "" : ": " + base::join_or(names));
  }

  std::string suggestion(const std::string& name) const {
    auto near = konfig::nearest(name, known_.sorted(), 0.7);
    return near ? "; did you mean --" + *near + "?" : "";
  }

  std::string all_texts(const std::vector<Error>& errors) const {
    std::vector<std::string> lines;
    for (const Error& e : errors) lines.emplace_back(e.what());
    if (found_.missing.size() == 1) lines.push_back("not given: " + found_.missing[0]);
    if (found_.missing.size() > 1) {
      lines.push_back("not given:\n  " + base::join(found_.missing, "\n  "));
    }
    return base::join(lines, "\n");
  }

  Flags flags_;
  ConfigClassPtr cls_;
  std::unique_ptr<Given> code_, file_;
  std::string file_name_;
  bool has_text_ = false;  // file_ is a text that was given
  Found found_;
  detail::Names known_;
};

}  // namespace

Value parse_args(const Value& cfg, const std::vector<std::string>& args, ConfigClassPtr cls) {
  Parser parser(cfg, args, std::move(cls));
  parser.run();
  if (parser.flags().wants_help()) throw HelpRequested(parser.help());
  return parser.result();
}

Value from_yaml(const ConfigClassPtr& cls, const std::string& text, const std::string& name) {
  Parser parser(Value(Dict()), {}, cls);
  parser.set_file(text, name);
  parser.run();
  return parser.result();
}

std::vector<std::string> complete_args(const Value& cfg, const std::vector<std::string>& args,
                                       const std::string& word, ConfigClassPtr cls) {
  try {
    Parser parser(cfg, args, std::move(cls));
    parser.run();
    return detail::completions(parser.found().flags, word);
  } catch (const Error&) {
    return {};  // a file that cannot be read: nothing to offer
  }
}

namespace detail {

Value parse_or_exit(const Value& cfg, int argc, const char* const* argv) {
  try {
    return parse_args(cfg, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const HelpRequested& help) {
    std::cout << help.text() << std::flush;
    std::exit(0);
  } catch (const Error& e) {
    std::cerr << "error: " << e.what() << "\n";
    std::exit(2);
  }
}

}  // namespace detail
}  // namespace tfimm::train
