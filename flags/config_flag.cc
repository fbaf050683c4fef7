// Reading config flags from an argument list.
#include "flags/config_flag.h"

#include <algorithm>

#include "flags/flag_path_impl.h"
#include "konfig/literal.h"

namespace flags {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;

constexpr std::string_view kArgs = "__args__";

// One argument that belongs to the config.
struct Word {
  bool is_source = false;           // --cfg itself
  std::string path;                 // of an override
  std::optional<std::string> text;  // after '='
  bool negated = false;             // --nocfg.path
};

// Empty when the argument is not a flag of `name`.
std::optional<Word> read_word(std::string_view arg, std::string_view name) {
  if (!arg.starts_with('-')) return std::nullopt;
  arg.remove_prefix(arg.starts_with("--") ? 2 : 1);
  Word word;
  if (arg.starts_with("no") && arg.substr(2).starts_with(name) &&
      arg.substr(2 + name.size()).starts_with('.')) {
    word.negated = true;
    arg.remove_prefix(2);
  }
  if (!arg.starts_with(name)) return std::nullopt;
  arg.remove_prefix(name.size());
  if (!arg.empty() && arg.front() != '=' && arg.front() != '.' && arg.front() != '[')
    return std::nullopt;
  auto equals = detail::find_equals(arg);
  if (equals != arg.npos) word.text = std::string(arg.substr(equals + 1));
  auto path = arg.substr(0, equals);
  word.is_source = path.empty();
  if (path.starts_with('.')) path.remove_prefix(1);
  word.path = std::string(path);
  return word;
}

// A path inside another one cannot be given as well: which should win?
void refuse_overlap(const ConfigFlag& flag, const std::string& path) {
  auto parsed = detail::parse_flag_path(path, flag.name);
  for (auto& other : flag.overrides) {
    auto old = detail::parse_flag_path(other.path, flag.name);
    if (old == parsed || !(old.starts_with(parsed) || parsed.starts_with(old))) continue;
    throw Error(ErrorKind::value, "--" + flag.name + "." + other.path + " and --" + flag.name +
                                      "." + path + " overlap; give the whole value in one of them");
  }
}

void add_override(ConfigFlag& flag, Override override) {
  bool for_args = override.path == kArgs || override.path.starts_with(std::string(kArgs) + ".") ||
                  override.path.starts_with(std::string(kArgs) + "[");
  auto& list = for_args ? flag.config_args : flag.overrides;
  if (for_args) {
    override.path.erase(0, std::min(override.path.size(), kArgs.size() + 1));
  } else {
    refuse_overlap(flag, override.path);
  }
  auto same =
      std::find_if(list.begin(), list.end(), [&](auto& o) { return o.path == override.path; });
  if (same == list.end()) {
    list.push_back(std::move(override));
  } else {
    *same = std::move(override);  // the last one wins
  }
}

void set_source(ConfigFlag& flag, const std::string& text) {
  if (text.empty()) {
    throw Error(ErrorKind::value, "--" + flag.name + "= names no config; give a file or a name");
  }
  auto colon = text.find(':');
  flag.text = text;
  flag.source = text.substr(0, colon);
  flag.args = colon == text.npos ? "" : text.substr(colon + 1);
}

Override make_override(const ConfigFlag& flag, Word word) {
  if (word.negated && word.text) {
    throw Error(ErrorKind::value, "--no" + flag.name + "." + word.path + " takes no value");
  }
  Override out{.path = std::move(word.path)};
  if (word.text) {
    out.text = *word.text;
    out.value = konfig::parse_flag_value(out.text);
  } else {
    out.value = !word.negated;
    out.bare = !word.negated;
  }
  return out;
}

// Whether a word can be the value of the flag before it: not when it is a flag itself.
bool may_be_value(std::string_view word) {
  if (!word.starts_with('-')) return true;
  auto number = word.substr(word.starts_with("-.") ? 2 : 1);
  return !number.empty() && number.front() >= '0' && number.front() <= '9';
}

}  // namespace

ConfigFlag take_config_flag(std::vector<std::string>& args, std::string_view name,
                            const std::string& default_source) {
  ConfigFlag flag{.name = std::string(name)};
  if (!default_source.empty()) set_source(flag, default_source);
  std::vector<std::string> rest;
  std::string out_of_place;  // an override before --cfg
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      rest.insert(rest.end(), args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
      break;
    }
    auto word = read_word(args[i], name);
    if (!word) {
      rest.push_back(args[i]);
      continue;
    }
    if (word->is_source) {
      if (!out_of_place.empty()) {
        throw Error(ErrorKind::value, out_of_place + " stands before --" + flag.name + "=; put --" +
                                          flag.name + "= first");
      }
      if (!flag.overrides.empty() || !flag.config_args.empty()) {
        throw Error(ErrorKind::value,
                    "--" + flag.name + "= is given a second time, after overrides");
      }
      if (!word->text && i + 1 < args.size()) word->text = args[++i];
      set_source(flag, word->text.value_or(""));
      continue;
    }
    if (flag.source.empty() && out_of_place.empty()) out_of_place = args[i];
    auto override = make_override(flag, *std::move(word));
    detail::parse_flag_path(override.path, flag.name);  // a bad path is reported here
    if (override.bare && i + 1 < args.size() && may_be_value(args[i + 1]))
      override.next = rest.size();
    add_override(flag, std::move(override));
  }
  if (flag.source.empty() && !out_of_place.empty()) {
    throw Error(ErrorKind::value,
                out_of_place + " has no config to change; give --" + flag.name + "=FILE first");
  }
  args = std::move(rest);
  return flag;
}

Dict override_values(const ConfigFlag& flag) {
  Dict out;
  for (auto& o : flag.config_args) {
    out.set(o.path.empty() ? std::string(kArgs) : std::string(kArgs) + "." + o.path, o.value);
  }
  for (auto& o : flag.overrides) out.set(o.path, o.value);
  return out;
}

}  // namespace flags
