#include "kxm/sweep_info.h"

#include <algorithm>
#include <map>

#include "base/join.h"
#include "konfig/load.h"
#include "konfig/print.h"
#include "konfig/sequence.h"
#include "konfig/suggest.h"
#include "kxm/arg_json.h"
#include "kxm/proxies.h"
#include "kxm/python_text_impl.h"
#include "kxm/text_list_impl.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

Dict item_of(const Value& value, std::size_t i) {
  const Value plain = with_proxies(value);
  if (auto* dict = plain.get_if<Dict>()) return *dict;
  throw Error(ErrorKind::type, "items[" + std::to_string(i) + "]",
              "expected a map of arguments, such as {\"lr\": 0.1}, got " + konfig::describe(value));
}

const LoadedConfig& config_of(const SweepContext& context, const char* what) {
  if (context.config) return *context.config;
  throw Error(ErrorKind::value, "xp.sweep: " + std::string(what) +
                                    " takes the sweeps of a config, and there is none; add "
                                    "--cfg=path/to/config.py, or set xp.sweep=False");
}

std::vector<std::string> names_of(const LoadedConfig::Sweeps& sweeps) {
  std::vector<std::string> out;
  for (auto& [name, items] : sweeps) out.push_back(name);
  return out;
}

bool wants_all(const SweepContext& context) { return context.sweep == Value("*"); }

std::string function_name(const std::string& name) {
  return name.empty() ? "sweep" : "sweep_" + name;
}

std::vector<Dict> combined(const SweepContext& context, const char* what) {
  if (context.sweep.is_none() || context.sweep == Value(false)) {
    if (!context.sweep.is<std::int64_t>() && !context.sweep.is<double>()) return {Dict()};
  }
  const LoadedConfig& config = config_of(context, what);
  // Only those that are asked for are called: another one may fail.
  const auto wanted = sweep_names(context.sweep, {});
  if (wanted.empty() && !wants_all(context)) return {Dict()};
  const auto& sweeps = config.sweeps(wanted);
  const auto all = names_of(sweeps);
  std::vector<std::vector<Dict>> parts;
  for (auto& name : sweep_names(context.sweep, all)) {
    auto it = sweeps.find(name);
    if (it == sweeps.end()) {
      const auto names = base::join(all, ", ", function_name);
      throw Error(ErrorKind::value, "xp.sweep: no function '" + function_name(name) + "()' in " +
                                        config.from.source + konfig::did_you_mean(name, all) +
                                        "; available sweeps: " + (all.empty() ? "none" : names));
    }
    parts.emplace_back();
    for (auto& item : it->second) parts.back().push_back(with_proxies(item).as<Dict>());
  }
  return product(parts);
}

std::vector<std::string> tags_of(const SweepContext& context) {
  std::vector<std::string> names;
  if (context.config && wants_all(context)) names = names_of(context.config->sweeps());
  std::vector<std::string> out;
  for (auto& name : sweep_names(context.sweep, names)) out.push_back("🧹" + name);
  return out;
}

}  // namespace

std::vector<SweepItem> to_items(const std::vector<Dict>& dicts) {
  std::vector<SweepItem> out;
  out.reserve(dicts.size());
  for (auto& dict : dicts) out.push_back({.job_kwargs = dict});
  return out;
}

std::vector<std::string> sweep_names(const Value& sweep,
                                     const std::vector<std::string>& available) {
  if (sweep.is_none()) return {};
  if (auto* flag = sweep.get_if<bool>()) {
    return *flag ? std::vector<std::string>{""} : std::vector<std::string>{};
  }
  if (auto* text = sweep.get_if<std::string>())
    return *text == "*" ? available : detail::split_commas(*text);
  const konfig::Sequence* names = konfig::as_sequence(sweep);
  std::vector<std::string> out;
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    auto* name = (*names)[i].get_if<std::string>();
    if (!name) names = nullptr;
    if (name) out.push_back(*name);
  }
  if (names) return out;
  throw Error(ErrorKind::value,
              "xp.sweep: expected True, a name, \"a,b\", [\"a\", \"b\"] or \"*\""
              ", got " +
                  konfig::describe(sweep));
}

std::vector<Dict> product(const std::vector<std::vector<Dict>>& sweeps) {
  std::vector<Dict> out = {Dict()};
  for (auto& sweep : sweeps) {
    std::vector<Dict> next;
    next.reserve(out.size() * sweep.size());
    for (auto& before : out) {
      for (auto& item : sweep) {
        Dict both;
        for (auto& [k, v] : before) both.set(k, v);
        for (auto& [k, v] : item) both.set(k, v);
        next.push_back(std::move(both));
      }
    }
    out = std::move(next);
  }
  return out;
}

std::vector<Dict> zip(const std::vector<std::vector<Dict>>& sweeps) {
  std::vector<Dict> out(sweeps.empty() ? 0 : sweeps[0].size());
  for (auto& sweep : sweeps) {
    if (sweep.size() != out.size()) {
      throw Error(ErrorKind::value,
                  "--zip: the lists have different lengths, " + std::to_string(out.size()) +
                      " and " + std::to_string(sweep.size()) +
                      "; make them equal, or leave --zip out for all combinations");
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (&sweep == &sweeps[0]) out[i] = Dict();
      for (auto& [k, v] : sweep[i]) out[i].set(k, v);
    }
  }
  return out;
}

Value shown_value(const Value& value) {
  const bool scalar = value.is_none() || value.is<bool>() || value.is<std::int64_t>() ||
                      value.is<double>() || value.is<std::string>();
  if (scalar) return value;
  return value.is<konfig::ConfigDict>() ? konfig::to_text(value) : detail::python_repr(value);
}

SweepItem encode_sweep_item(const Dict& item) {
  SweepItem out{.encoded = true};
  for (auto& [k, v] : item) {
    const std::string& key = k.as<std::string>();
    out.job_kwargs.set("cfg." + key, config_arg_to_text(v));
    out.ui_kwargs.set(key, shown_value(v));
  }
  return out;
}

std::vector<SweepItem> NoSweep::points() const { return {SweepItem()}; }

std::vector<SweepItem> SimpleSweep::points() const {
  const konfig::Sequence* list = konfig::as_sequence(items);
  if (!list) {
    throw Error(ErrorKind::type, "items",
                "expected a list of maps, got " + konfig::describe(items));
  }
  std::vector<SweepItem> out;
  out.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    out.push_back({.job_kwargs = item_of((*list)[i], i)});
  }
  return out;
}

std::vector<SweepItem> SweepFromCfg::points(const SweepContext& context) const {
  return to_items(combined(context, "SweepFromCfg"));
}
std::vector<std::string> SweepFromCfg::tags(const SweepContext& context) const {
  return tags_of(context);
}

std::vector<SweepItem> KauldronSweep::points(const SweepContext& context) const {
  const auto items = combined(context, "KauldronSweep");
  if (!context.kauldron_jobs) {
    throw Error(ErrorKind::type,
                "xp.sweep_info: KauldronSweep sweeps the config of KauldronJobs; "
                "set xp.jobs_provider=KauldronJobs, or use SweepFromCfg");
  }
  std::vector<SweepItem> out;
  out.reserve(items.size());
  for (auto& item : items) out.push_back(encode_sweep_item(item));
  return out;
}
std::vector<std::string> KauldronSweep::tags(const SweepContext& context) const {
  return tags_of(context);
}

}  // namespace kxm
