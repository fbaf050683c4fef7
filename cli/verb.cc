#include "cli/verb.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "base/join.h"
#include "cli/text.h"
#include "konfig/suggest.h"

namespace cli {
namespace {

std::vector<VerbEntry>& registry() {
  static std::vector<VerbEntry> verbs;
  return verbs;
}

}  // namespace

CLI::Option* Options::one_of(CLI::Option* option, const std::vector<std::string>& values) {
  auto check = [values](std::string& given) -> std::string {
    if (std::find(values.begin(), values.end(), given) != values.end()) return "";
    return "expected " + base::join_or(values) + ", got '" + given + "'" +
           konfig::did_you_mean(given, values);
  };
  completers_[option] = [values](const Typing&) {
    std::vector<Candidate> out;
    for (auto& v : values) out.push_back({v});
    return out;
  };
  return option->type_name("{" + base::join(values, ",") + "}")->check(CLI::Validator(check, ""));
}

void add_verb(VerbEntry verb) { registry().push_back(std::move(verb)); }

std::vector<const VerbEntry*> all_verbs() {
  std::vector<const VerbEntry*> out;
  for (auto& verb : registry()) out.push_back(&verb);
  const auto order = [](const VerbEntry* verb) {
    const std::string name = verb->about.name ? verb->about.name : "";
    const auto words = name.empty() ? 0 : 1 + std::count(name.begin(), name.end(), ' ');
    return std::tuple(words, verb->about.place, name);
  };
  std::sort(out.begin(), out.end(), [&](auto* a, auto* b) { return order(a) < order(b); });
  return out;
}

VerbEntry::Bound bind(const VerbEntry& entry, Options& options) {
  const auto refuse = [&](const std::string& reason) {
    throw std::logic_error("cli/verbs: '" + std::string(entry.about.name) + "': " + reason);
  };
  VerbEntry::Bound bound;
  try {
    bound = entry.bind(options);
  } catch (const CLI::Error& error) {
    refuse(error.what());
  }
  for (const char* taken : {"--cfg", "--patch"}) {
    if (options.has(taken)) refuse(std::string("the option ") + taken + " is that of every verb");
  }
  return bound;
}

void check_names(const std::vector<const VerbEntry*>& verbs) {
  std::set<std::string> names;
  for (auto* verb : verbs) {
    if (!verb->about.name || std::string_view(verb->about.name).starts_with('-')) {
      throw std::logic_error(
          "cli/verbs: a verb needs a `.name` such as \"config get\" (its summary: '" +
          std::string(verb->about.summary) + "')");
    }
    if (!names.insert(verb->about.name).second) {
      throw std::logic_error("cli/verbs: there are two verbs '" + std::string(verb->about.name) +
                             "'");
    }
  }
  for (const std::string& name : names) {
    const auto space = name.rfind(' ');
    if (space != name.npos && !names.contains(name.substr(0, space))) {
      throw std::logic_error("cli/verbs: '" + name + "' needs a verb '" + name.substr(0, space) +
                             "' without `run`: the group it belongs to");
    }
  }
}

}  // namespace cli
