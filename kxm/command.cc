#include <algorithm>

#include "kxm/arg_json.h"
#include "kxm/argv.h"
#include "kxm/command_impl.h"
#include "kxm/python_text_impl.h"

namespace kxm::detail {
namespace {

using konfig::Dict;
using konfig::Value;

const Dict& dict_at(const Dict& params, const char* key) {
  static const Dict kNone;
  auto* value = params.find(key);
  return value && value->is<Dict>() ? value->as<Dict>() : kNone;
}

}  // namespace

Command::Command(const ResolvedJob& job, std::vector<std::string> argv, Dialect dialect,
                 const std::map<std::string, std::string>& files)
    : name_(job.key),
      cfg_flag_(job.cfg_flag.empty() ? "" : job.cfg_flag + "."),
      argv_(std::move(argv)),
      dialect_(dialect),
      files_(files),
      debug_(dict_at(job.params, "debug")),
      jax_(job.flag("add_jax_flags", true)) {
  for (auto& [k, v] : dict_at(job.params, "args")) {
    Arg arg{.key = k.as<std::string>(), .value = v};
    arg.fixed = !has_proxies(v);
    if (arg.fixed) arg.text = text_of(arg.key, v);
    keys_[arg.key] = args_.size();
    order_.push_back(arg.key);
    args_.push_back(std::move(arg));
  }
  for (auto& [k, v] : dict_at(job.params, "env_vars")) {
    env_.emplace_back(k.as<std::string>(), v.as<std::string>());
  }
}

std::string Command::text_of(const std::string& key, const Value& value) const {
  const bool config = !cfg_flag_.empty() && key.starts_with(cfg_flag_);
  return config && dialect_ == Dialect::program ? config_arg_to_text(value) : arg_to_text(value);
}

bool Command::debug(const char* field, bool otherwise) const {
  auto* value = debug_.find(field);
  return value && value->is<bool>() ? value->as<bool>() : otherwise;
}

void Command::complete(PlannedJob& out, const SweepItem& sweep, const Overlay& own,
                       ProxyValues& values) const {
  for (auto& [name, text] : env_) {
    out.env[name] = replace_proxies(text, values).as<std::string>();
  }
  for (auto& [name, value] : own.env_vars) {
    const Value text = value.is<std::string>() ? value : Value(python_repr(value));
    out.env[name.as<std::string>()] = replace_proxies(text, values).as<std::string>();
  }
  if (debug("dump_hlo", false)) out.env["XLA_FLAGS"] += " --xla_dump_to=" + values.wu_dir();
  if (debug("flax_profile", dialect_ == Dialect::xmanager)) out.env["FLAX_PROFILE"] = "true";
  if (dialect_ == Dialect::program) {
    complete_program(out, sweep, own.args, values);
  } else {
    complete_xmanager(out, sweep.job_kwargs, own.args, values);
  }
}

void Command::complete_program(PlannedJob& out, const SweepItem& sweep, const Dict& own,
                               ProxyValues& values) const {
  out.argv.reserve(argv_.size() + args_.size() + sweep.job_kwargs.size() + 2);
  out.argv = argv_;
  auto add = [&](const std::string& key, const std::string& text) {
    std::string word;
    word.reserve(key.size() + text.size() + 3);
    out.argv.push_back(word.append("--").append(key).append("=").append(text));
  };
  for (auto& arg : args_) {
    auto* better = own.find(arg.key);
    const bool fixed = arg.fixed && !better;
    add(arg.key,
        fixed ? arg.text : text_of(arg.key, replace_proxies(better ? *better : arg.value, values)));
  }
  for (auto& [k, v] : own) {
    const std::string& key = k.as<std::string>();
    if (!has(key)) add(key, text_of(key, replace_proxies(v, values)));
  }
  for (auto& [k, v] : sweep.job_kwargs) {
    const std::string& key = k.as<std::string>();
    if (has(key) || own.find(key)) continue;
    const Value value = replace_proxies(v, values);
    add(key, sweep.encoded ? arg_to_text(value) : text_of(key, value));
  }
  // Switches for JAX go to programs that are asked to get them, no others.
  if (debug("catch_post_mortem", false)) out.argv.emplace_back("--catch_post_mortem");
  if (jax_ && debug_.find("jax_log_compiles") && !has("jax_log_compiles")) {
    out.argv.emplace_back(debug("jax_log_compiles", true) ? "--jax_log_compiles"
                                                          : "--nojax_log_compiles");
  }
  for (const char* port : {"xprof_port", "g3pdb_port"}) {
    if (!debug(port, false) || has(port)) continue;
    // "xprof" of "xprof_port".
    add(port, port_proxy(std::string_view(port).substr(0, std::string_view(port).find('_'))));
  }
}

void Command::complete_xmanager(PlannedJob& out, const Dict& sweep, const Dict& own,
                                ProxyValues& values) const {
  Dict all;
  auto add = [&](const std::string& key, const Value& value) {
    all.set(key, arg_to_text(replace_proxies(value, values, /*percent=*/true)));
  };
  for (auto& arg : args_) add(arg.key, arg.value);
  for (auto& [k, v] : own) add(k.as<std::string>(), v);
  for (auto& [k, v] : sweep) {
    if (!has(k.as<std::string>()) && !own.find(k)) add(k.as<std::string>(), v);
  }
  if (debug("catch_post_mortem", false)) all.set("catch_post_mortem", true);
  if (jax_) all.set("jax_log_compiles", debug("jax_log_compiles", true));
  if (debug("xprof_port", false)) all.set("xprof_port", "%port_xprof%");
  if (debug("g3pdb_port", false)) all.set("g3pdb_port", "%port_g3pdb%");
  SequentialArgs args;
  args.add(all);
  out.argv = args.to_list();
}

}  // namespace kxm::detail

namespace kxm {

std::string script_path(const std::string& target) {
  std::string out = target;
  std::replace(out.begin(), out.end(), ':', '/');
  return out.ends_with(".py") ? out : out + ".py";
}

}  // namespace kxm
