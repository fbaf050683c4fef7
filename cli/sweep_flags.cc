#include "cli/sweep_flags.h"

#include <algorithm>
#include <string_view>

#include "cli/errors.h"
#include "konfig/literal.h"
#include "konfig/scalar_text.h"

namespace cli {
namespace {

using konfig::Dict;
using konfig::List;
using konfig::Value;

constexpr std::string_view kPrefix = "--sweep.";
constexpr std::size_t kMostPoints = 1'000'000;

// "[adam,sgd]" is what a shell leaves of '["adam","sgd"]'.
List bare_words(std::string_view text) {
  List out;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    out.push_back(konfig::parse_flag_value(word));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

List parse_values(const std::string& flag, std::string_view text) {
  if (!konfig::is_utf8(text)) {
    throw UsageError(flag + ": its values are not valid UTF-8, so that no record can hold them");
  }
  Value value = konfig::parse_flag_value(text);
  if (auto* tuple = value.get_if<konfig::Tuple>()) value = List({tuple->begin(), tuple->end()});
  if (value.is<std::string>() && text.starts_with('[') && text.ends_with(']')) {
    value = bare_words(text);
  }
  if (!value.is<List>()) {
    throw UsageError(flag + ": expected a list of values, got '" + std::string(text) + "'; write " +
                     flag + "=[1,2,3]");
  }
  if (value.as<List>().empty())
    throw UsageError(flag + ": the list is empty, so nothing would run");
  return value.as<List>();
}

}  // namespace

std::vector<SweptPath> take_sweep_flags(std::vector<std::string>& args) {
  std::vector<SweptPath> out;
  const auto end = std::ranges::find(args, "--");
  for (auto arg = args.begin(); arg != end; ++arg) {
    if (*arg != "--sweep" && !arg->starts_with("--sweep=")) continue;
    throw UsageError(
        "--sweep: name what is swept: --sweep.PATH=[1,2,3]; --xp.sweep runs the sweeps of the "
        "config");
  }
  const auto first = std::stable_partition(
      args.begin(), end, [](const std::string& arg) { return !arg.starts_with(kPrefix); });
  for (auto arg = first; arg != end; ++arg) {
    const auto equals = arg->find('=');
    const std::string flag = arg->substr(0, equals);
    const std::string path = flag.substr(kPrefix.size());
    if (equals == arg->npos || path.empty()) {
      throw UsageError(*arg + ": write --sweep.PATH=[1,2,3]");
    }
    if (std::ranges::any_of(out, [&](auto& swept) { return swept.first == path; })) {
      throw UsageError(flag + " is given twice");
    }
    out.emplace_back(path, parse_values(flag, std::string_view(*arg).substr(equals + 1)));
  }
  args.erase(first, end);
  return out;
}

std::vector<Dict> points_of(const std::vector<SweptPath>& swept, bool zip) {
  if (swept.empty()) return {};
  std::vector<Dict> out;
  if (zip) {
    for (auto& [path, values] : swept) {
      if (values.size() == swept.front().second.size()) continue;
      throw UsageError("--zip: --sweep." + swept.front().first + " has " +
                       std::to_string(swept.front().second.size()) + " values and --sweep." + path +
                       " has " + std::to_string(values.size()));
    }
    out.resize(swept.front().second.size());
    for (auto& [path, values] : swept) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i].set(path, values[i]);
    }
    return out;
  }
  std::size_t count = 1;
  for (auto& [path, values] : swept) {
    count *= values.size();
    if (count > kMostPoints) {
      throw UsageError("--sweep." + path + ": these lists have more than " +
                       std::to_string(kMostPoints) + " combinations; --zip pairs their values");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    Dict point;
    std::size_t block = count, rest = i;
    for (auto& [path, values] : swept) {
      block /= values.size();
      point.set(path, values[rest / block]);
      rest %= block;
    }
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace cli
