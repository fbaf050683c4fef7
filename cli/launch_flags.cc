#include "cli/launch_flags.h"

#include "konfig/docs.h"
#include "konfig/suggest.h"
#include "kxm/experiment.h"

namespace cli {
namespace {

constexpr std::string_view kSource = "--xp=", kField = "--xp.", kSweep = "--sweep.",
                           kTarget = "--xp.target=";

// What follows `prefix` in the word, completed.
void add(std::vector<Candidate>& out, const Typing& typing, std::string_view prefix,
         const Completer& completer) {
  Typing rest = typing;
  rest.value = typing.value.substr(prefix.size());
  for (auto& candidate : completer(rest)) {
    out.push_back({std::string(prefix) + candidate.word, candidate.note});
  }
}

std::vector<Candidate> fields(const Typing&) {
  std::vector<Candidate> out;
  const konfig::Type& type = konfig::type_of<kxm::Experiment>();
  for (const konfig::Field& field : type.fields) {
    out.push_back(
        {std::string(field.name) + "=", std::string(konfig::field_doc(type, field.name))});
  }
  return out;
}

}  // namespace

std::vector<Candidate> complete_launch(const Typing& typing) {
  std::vector<Candidate> out = {{std::string(kSource), "The experiment: a name or a file"},
                                {std::string(kField), "Set a field of the experiment"},
                                {std::string(kSweep), "A unit for each of these values"}};
  if (typing.value.starts_with(kSource)) add(out, typing, kSource, experiment_sources);
  if (typing.value.starts_with(kField)) add(out, typing, kField, fields);
  if (typing.value.starts_with(kTarget)) add(out, typing, kTarget, files);
  const bool path = typing.value.find('=') == typing.value.npos;
  if (path && typing.value.starts_with(kSweep)) add(out, typing, kSweep, config_settings);
  return out;
}

std::string meant_at_launch(const std::string& flag, bool has_config) {
  std::string family =
      konfig::did_you_mean(flag.substr(0, flag.find('.')), {"--xp", "--sweep"}, 0.8);
  if (!family.empty()) return family;
  if (!flag.starts_with("--")) return "";
  const std::string name = flag.substr(2);
  if (konfig::type_of<kxm::Experiment>().find(name)) return "; did you mean --xp." + name + "?";
  return has_config ? "; a field of the config is set with --cfg." + name +
                          "=..., and swept with --sweep." + name + "=[...]"
                    : "; an argument of the program is set with --xp.args." + name +
                          "=..., and swept with --sweep." + name + "=[...]";
}

}  // namespace cli
