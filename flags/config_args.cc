#include "flags/config_args.h"

#include "flags/flag_path_impl.h"
#include "flags/wanted_impl.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/type.h"

namespace flags {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::vector<ConfigArg> config_args(const ConfigFlag& flag) {
  std::vector<ConfigArg> out;
  for (auto& o : flag.config_args) {
    if (!o.path.empty()) {
      out.push_back({o.path, o.value, o.text});
      continue;
    }
    auto* dict = o.value.get_if<Dict>();
    if (!dict) {
      throw Error(ErrorKind::type,
                  "--" + flag.name + ".__args__ takes a map, got " + konfig::shorten(o.text, 40));
    }
    for (auto& [key, value] : *dict) {
      auto* name = key.get_if<std::string>();
      if (!name) {
        throw Error(ErrorKind::type,
                    "--" + flag.name + ".__args__: " + key.repr() + " is no name of an argument");
      }
      out.push_back({*name, value});
    }
  }
  return out;
}

std::vector<ConfigArg> parse_config_args(std::string_view text) {
  std::vector<ConfigArg> out;
  for (auto left = text; !left.empty();) {
    auto end = detail::find_comma(left);
    auto item = left.substr(0, end);
    left.remove_prefix(end == left.npos ? left.size() : end + 1);
    if (trimmed(item).empty()) continue;  // a trailing comma
    auto equals = item.find('=');
    auto name = trimmed(item.substr(0, equals));
    if (equals == item.npos || name.empty()) {
      throw Error(ErrorKind::value, "cannot read the arguments '" + std::string(text) +
                                        "'; write name=value,name2=value2");
    }
    std::string value(trimmed(item.substr(equals + 1)));
    out.push_back({std::string(name), konfig::parse_flag_value(value), value});
  }
  return out;
}

Dict args_for(const konfig::Type* type, const std::vector<ConfigArg>& args) {
  Dict out;
  for (auto& arg : args) {
    auto* field = type ? type->find(arg.name) : nullptr;
    auto wanted = field ? detail::wanted_by(field->type()) : detail::Wanted::unknown;
    out.set(arg.name, arg.text.empty() ? arg.value : detail::adapt(wanted, arg.value, arg.text));
  }
  return out;
}

}  // namespace flags
