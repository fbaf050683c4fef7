#include "cli/patch.h"

#include <algorithm>

#include "konfig/konfig.h"
#include "konfig/lower.h"
#include "konfig/register.h"
#include "kontext/get.h"
#include "kontext/set.h"
#include "kontext/tree_konfig.h"

namespace cli {

using konfig::ConfigDict;
using konfig::Value;

namespace {

// About a flag, which is no place of the config.
konfig::Error patch_error(konfig::ErrorKind kind, const std::string& field,
                          const std::string& message) {
  return {kind, "--" + konfig::join_path("patch", field) + ": " + message};
}

constexpr std::int64_t kProfiledSteps = 17;  // a trace begins at step 10

// Changes of a config, and what they were.
class Patched {
 public:
  Patched(ConfigDict& cfg, const flags::ConfigFlag& overrides) : cfg_(cfg) {
    for (auto& o : overrides.overrides) {
      const auto path = kontext::Path::parse(o.path);
      if (auto found = kontext::find_by_path(kontext::TreeRef(cfg), path)) {
        users_.emplace_back(path, found.value());
      }
    }
  }

  // `**` is any number of levels, as in kontext::set_by_path.
  void set(const std::string& pattern, const Value& value) {
    const auto guard = cfg_.ignore_type();
    for (auto& place : kontext::set_by_path(cfg_, pattern, value)) {
      auto user = std::ranges::find(users_, place, &User::first);
      if (user == users_.end()) {
        changes_.set(place.str(), value);
      } else {
        kontext::set_by_path(kontext::TreeRef(cfg_), place, kontext::TreeRef(user->second));
      }
    }
  }

  // A whole part of the config. One with a path of the user's in it stays: no other could hold it.
  void replace(const std::string& part, const Value& value) {
    if (!is_users(kontext::Path::parse(part))) set(part, value);
  }

  // Empties a map, but for items with a path of the user's in them.
  void clear(const std::string& field) {
    const kontext::Path place{field};
    if (!is_users(place)) return set(field, ConfigDict());
    if (std::ranges::find(users_, place, &User::first) != users_.end()) return;
    ConfigDict node = cfg_.get(field).as<ConfigDict>();
    for (auto& [key, value] : node.items()) {
      const kontext::Path item = place / kontext::Part(key);
      if (is_users(item)) continue;
      node.erase(key);
      changes_.set(item.str(), Value());
    }
  }

  // Wherever this name is already, below a field.
  void set_below(const std::string& field, const std::string& name, std::int64_t value) {
    if (has_node(field)) set(field + ".**." + name, value);
  }

  bool has_node(const std::string& field) const {
    return cfg_.get(field, Value()).is<ConfigDict>();
  }
  const ConfigDict& config() const { return cfg_; }
  konfig::Dict changes() const { return changes_; }

 private:
  using User = std::pair<kontext::Path, Value>;

  // Whether the user overrides it, or something in it.
  bool is_users(const kontext::Path& part) const {
    return std::ranges::any_of(users_, [&](auto& user) { return user.first.starts_with(part); });
  }

  ConfigDict& cfg_;
  std::vector<User> users_;
  konfig::Dict changes_;
};

bool takes_batches(const ConfigDict& evaluator) {
  return evaluator.qualname() == "kauldron.kd:evals.Evaluator" ||
         evaluator.qualname().ends_with(".CheckpointedEvaluator");
}

void patch_evals(const Patch& patch, Patched& patched) {
  if (!patched.has_node("evals")) return;
  const Value once = konfig::call("kauldron.kd:evals.Once", {{"step", 0}});
  const bool few_batches = patch.num_batches.value_or(0) != 0;
  for (auto& [key, value] : patched.config().get("evals").as<ConfigDict>().items()) {
    if (!value.is<ConfigDict>()) continue;
    const std::string place = (kontext::Path::parse("evals") / kontext::Part(key)).str();
    if (patch.eval_run_once) patched.replace(place + ".run", once);
    if (few_batches && takes_batches(value.as<ConfigDict>())) {
      patched.set(place + ".num_batches", *patch.num_batches);
    }
  }
  if (few_batches) patched.set_below("evals", "num_batches", *patch.num_batches);
  // Trainings inside of evaluations.
  if (patch.stop_after_steps) {
    patched.set_below("evals", "num_train_steps", *patch.stop_after_steps);
  }
}

void patch_batch_size(const PatchedSize& size, Patched& patched) {
  auto* number = std::get_if<int>(&size);
  if (!number && std::get<std::string>(size) != "devices") {
    throw patch_error(
        konfig::ErrorKind::value, "batch_size",
        "expected a whole number or \"devices\", got \"" + std::get<std::string>(size) + "\"");
  }
  for (auto* field : {"train_ds", "eval_ds", "evals"}) {
    patched.set_below(field, "batch_size", number ? *number : 1);  // there is one device
  }
  patched.set_below("train_ds", "shuffle_buffer_size", 1);
}

void patch_profiler(Patched& patched) {
  if (!patched.has_node("profiler")) {
    patched.set("profiler", konfig::call("kauldron.kd:inspect.Profiler"));
  }
  patched.set("stop_after_steps", kProfiledSteps);
  patched.set("profiler.profile_duration_ms", Value());
  patched.set("profiler.on_colab", true);
}

// A trial takes a step, of some examples; what these fields of the config may be is more.
void check_counts(const Patch& patch) {
  auto expect_positive = [](const char* field, const std::optional<int>& value) {
    if (!value || *value > 0) return;
    throw patch_error(konfig::ErrorKind::value, field,
                      "expected a whole number above 0, got " + std::to_string(*value));
  };
  expect_positive("stop_after_steps", patch.stop_after_steps);
  if (patch.num_batches != 0) expect_positive("num_batches", patch.num_batches);
}

// --patch.noskip_eval is --patch.skip_eval=False.
void read_negations(flags::ConfigFlag& flag) {
  const konfig::Type& type = konfig::type_of<Patch>();
  for (auto& o : flag.overrides) {
    if (!o.bare || !o.path.starts_with("no") || type.find(o.path)) continue;
    auto* field = type.find(o.path.substr(2));
    if (!field || field->type().kind != konfig::Kind::boolean) continue;
    o = {.path = o.path.substr(2), .text = "", .value = false};
  }
}

}  // namespace

Patch check_patch() { return {.batch_size = 3, .skip_checkpointer = false}; }

Patch patch_of(Patch patch, flags::ConfigFlag flag, std::vector<std::string>& args) {
  ConfigDict given = konfig::lower(patch);
  read_negations(flag);
  try {
    flags::apply_overrides(given, flag, args);
    return *konfig::resolve<Patch>(given);
  } catch (const konfig::Error& e) {
    if (e.path().empty()) throw;
    throw patch_error(e.kind(), e.path(), e.message());
  }
}

konfig::Dict apply(const Patch& patch, ConfigDict& cfg, const flags::ConfigFlag& overrides) {
  if (!patch.skip_flatboard) {
    throw patch_error(konfig::ErrorKind::unsupported, "skip_flatboard",
                      "there is no Flatboard to set up; use TensorBoard or `kd plot`");
  }
  check_counts(patch);
  Patched patched(cfg, overrides);
  if (patch.stop_after_steps) patched.set("stop_after_steps", *patch.stop_after_steps);
  if (patch.batch_size) patch_batch_size(*patch.batch_size, patched);
  if (patch.skip_eval) {
    patched.clear("evals");
  } else {
    patch_evals(patch, patched);
  }
  if (patch.skip_checkpointer) patched.replace("checkpointer", Value());
  if (patch.skip_metrics) patched.clear("train_metrics");
  if (patch.skip_summaries) patched.clear("train_summaries");
  if (patch.profile) patch_profiler(patched);
  if (patch.checkify) {
    patched.set("checkify_error_categories",
                konfig::constant("jax.experimental.checkify:all_checks"));
  }
  return patched.changes();
}

}  // namespace cli

KONFIG_REGISTER(cli::Patch, "kd.cli:Patch");
