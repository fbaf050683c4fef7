// Whole training runs against the reference's.
#include <fmt/format.h>

#include <set>

#include "base/file.h"
#include "base/join.h"
#include "base/temp_folder.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/ops.h"
#include "kd/data/engine/dataset.h"
#include "kd/evals/engine/continuous_eval.h"
#include "kd/kd.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "tests/golden/train_record.h"

namespace golden {

using kd::train::Event;
using kd::train::Trainer;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

Value json_of(const kd::train::Rngs& rngs) {
  Dict out;
  for (auto& [name, key] : rngs) {
    out.set(name, List{std::int64_t{key.hi}, std::int64_t{key.lo}});
  }
  return out;
}

void expect_equal(Problems& problems, const std::string& what, const Value& ours,
                  const Value& wanted) {
  if (ours == wanted) return;
  problems.push_back(what + ": " + konfig::to_json(ours) + ", expected " + konfig::to_json(wanted));
}

// Keys of random streams, by sorted names.
void expect_rngs(Problems& problems, const Trainer& trainer, const Dict& outputs) {
  auto compare = [&](const std::string& what, const kd::train::Rngs& ours, const Value& wanted) {
    Dict sorted;
    for (auto& [name, key] : ours)
      sorted.set(name, wanted.as<Dict>().find(name) ? *wanted.as<Dict>().find(name) : Value());
    if (wanted.as<Dict>().size() != ours.size()) problems.push_back(what + ": other streams");
    expect_equal(problems, what, json_of(ours), sorted);
  };
  compare("init_rngs", init_rngs(trainer.rng_streams), outputs.at("init_rngs"));
  const List& train = outputs.at("train_rngs").as<List>();
  for (std::size_t i = 0; i < train.size(); ++i) {
    compare(fmt::format("train_rngs[{}]", i),
            train_rngs(trainer.rng_streams, static_cast<std::int64_t>(i)), train[i]);
  }
  const List& eval = outputs.at("eval_rngs_of_batch_0_1").as<List>();
  for (std::size_t i = 0; i < eval.size(); ++i) {
    compare(fmt::format("eval_rngs[{}]", i),
            eval_rngs(trainer.rng_streams, static_cast<std::int64_t>(i)), eval[i]);
  }
}

// Which examples each step saw.
void expect_indices(Problems& problems, const Trainer& trainer, const Dict& outputs) {
  auto* wanted = outputs.find("batch_indices");
  if (!wanted) return;
  kd::data::Iterator it = kd::data::open(trainer.train_ds).iterate();
  std::int64_t step = 0;
  for (const Value& indices : wanted->as<List>()) {
    it.next();
    List ours;
    for (auto& id : it.records()) ours.push_back(id.record);
    expect_equal(problems, fmt::format("batch_indices[{}]", step++), ours, indices);
  }
}

Value checkpoints_in(const fs::path& workdir) {
  std::map<std::int64_t, std::string> found;
  if (fs::exists(workdir / "checkpoints")) {
    for (auto& entry : fs::directory_iterator(workdir / "checkpoints")) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("ckpt_")) found[std::stoll(name.substr(5))] = name;
    }
  }
  List out;
  for (auto& [step, name] : found) out.push_back(name);
  return out;
}

// The reference's in-memory data have no position: after a restart they begin anew. Ours go on,
// which the tests of resuming check; here the position is taken out of the checkpoints.
void forget_positions(const Trainer& trainer, const fs::path& workdir) {
  kd::ckpts::Manager manager(trainer.checkpointer, workdir);
  for (std::int64_t step : manager.all_steps()) {
    kd::ckpts::Snapshot snapshot = manager.restore(step);
    snapshot.items.erase("ds_iter");
    manager.remove(step);
    manager.save(step, snapshot);
  }
  manager.wait_until_finished();
}

void expect_aux(Problems& problems, const kd::train::AuxState& aux, const Value& wanted,
                const Tolerance& tolerance) {
  std::map<std::string, kd::Tensor> ours;
  auto add = [&](const char* group, const std::optional<kd::train::NamedStates>& states) {
    if (!states) return;
    for (auto& [name, state] : *states) {
      for (auto& [path, tensor] : kd::flatten(state.finalize().tree())) {
        ours[fmt::format("{}.{}.{}", group, name, path)] = tensor;
      }
    }
  };
  add("loss_states", aux.loss_states);
  add("metric_states", aux.metric_states);
  add("summary_states", aux.summary_states);
  for (auto& [key, value] : wanted.as<Dict>()) {
    const std::string path = key.as<std::string>();
    auto found = ours.find(path);
    if (found == ours.end()) {
      problems.push_back("aux of the last step: " + path + " is missing");
    } else if (value.is<Dict>()) {
      if (found->second.sizes().vec() != integers(value.as<Dict>().at("shape"))) {
        problems.push_back("aux of the last step: " + path + " has another shape");
      }
    } else if (!value.is<List>()) {
      const double a = found->second.item<double>(), b = number(value);
      if (std::abs(a - b) > 10 * (tolerance.atol + tolerance.rtol * std::abs(b))) {
        problems.push_back(fmt::format("aux of the last step: {} is {}, expected {}", path, a, b));
      }
    }
  }
  if (ours.size() != wanted.as<Dict>().size()) {
    problems.push_back(fmt::format("aux of the last step: {} values, expected {}", ours.size(),
                                   wanted.as<Dict>().size()));
  }
}

void expect_images(Problems& problems, const RunRecord& record, const Value& wanted) {
  std::size_t i = 0;
  for (const Value& entry : wanted.as<List>()) {
    const List& parts = entry.as<List>();
    for (auto& [name, image] : parts[2].as<Dict>()) {
      const std::string what = fmt::format("image {} of {}@{}", name.as<std::string>(),
                                           parts[0].as<std::string>(), parts[1].as<std::int64_t>());
      const RunRecord::Image* found = nullptr;
      for (auto& ours : record.images) {
        if (ours.collection == parts[0].as<std::string>() &&
            ours.step == parts[1].as<std::int64_t>() && ours.name == name.as<std::string>()) {
          found = &ours;
        }
      }
      ++i;
      if (!found) {
        problems.push_back(what + " is missing");
        continue;
      }
      const double sum = number(image.as<Dict>().at("sum"));
      if (found->shape != integers(image.as<Dict>().at("shape")) ||
          std::abs(found->sum - sum) > 1e-4 * std::abs(sum)) {
        problems.push_back(fmt::format("{}: sum {}, expected {}", what, found->sum, sum));
      }
    }
  }
  if (record.images.size() != i) {
    problems.push_back(fmt::format("{} images, expected {}", record.images.size(), i));
  }
}

void expect_state_tree(Problems& problems, const RunRecord& record, const Value& wanted) {
  const auto& last = record.states.rbegin()->second;
  for (auto& [key, entry] : wanted.as<Dict>()) {
    auto found = last.find(key.as<std::string>());
    const List& parts = entry.as<List>();
    if (found == last.end()) {
      problems.push_back("the state has no " + key.as<std::string>());
    } else if (numpy_name(found->second.scalar_type()) != parts[0].as<std::string>() ||
               found->second.sizes().vec() != integers(parts[1])) {
      problems.push_back("the state's " + key.as<std::string>() + " has another dtype or shape");
    }
  }
  if (last.size() != wanted.as<Dict>().size()) {
    problems.push_back(
        fmt::format("the state has {} leaves, expected {}", last.size(), wanted.as<Dict>().size()));
  }
}

// The parts of a state that there are, in any order.
void expect_fields(Problems& problems, const kd::Tree& state, const Value& wanted) {
  std::set<std::string> ours, theirs;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!state.child(i).is_none()) ours.insert(state.name(i));
  }
  for (const Value& name : wanted.as<List>()) theirs.insert(name.as<std::string>());
  if (ours == theirs) return;
  problems.push_back("train_state_fields: " + base::join(ours, ", ") + ", expected " +
                     base::join(theirs, ", "));
}

}  // namespace

Problems run_training(const TrainCase& c) {
  Problems problems;
  const base::TempFolder folder("kd_train_");
  const fs::path workdir = folder.path() / "work";
  const ConfigDict base = config_of(c.config_text, {{"WORKDIR", workdir.string()}});
  List phases{Value()};
  if (auto* given = c.args.find("phases"); given && given->is<List>()) phases = given->as<List>();
  const List& wanted_phases = c.outputs.at("phases").as<List>();

  RunRecord record;
  kd::train::TrainResult result;
  std::shared_ptr<const Trainer> trainer;
  std::int64_t updates = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    ConfigDict cfg = base.copy();
    const auto guard = cfg.ignore_type();
    if (phases.size() > 1 || cfg.contains("stop_after_steps"))
      cfg.set("stop_after_steps", phases[i]);
    trainer = konfig::resolve<Trainer>(cfg);
    if (i > 0 && trainer->train_ds.holds<kd::data::InMemoryPipeline>()) {
      c.differences.excuse({c.name, "", "", "ds_iter", "none"}, "");
      forget_positions(*trainer, workdir);
    }
    result = kd::train::train(*trainer, {.config = cfg, .on_event = [&](const Event& event) {
                                           record.add(event);
                                           updates += event.kind == Event::Kind::done;
                                         }});
    record.add_state(result.state);
    record.order.push_back("end of train()");
    const Dict& wanted = wanted_phases[i].as<Dict>();
    expect_equal(problems, "final_step", result.state.step, wanted.at("final_step"));
    expect_equal(problems, "checkpoints", checkpoints_in(workdir), wanted.at("checkpoints"));
  }
  expect_equal(problems, "final_step", result.state.step, c.outputs.at("final_step"));
  expect_equal(problems, "number_of_updates", updates, c.outputs.at("number_of_updates"));
  expect_equal(problems, "opt_state_is_null_at_return", result.state.opt_state.is_none(),
               c.outputs.at("opt_state_is_null_at_return"));
  expect_record(problems, record, c);
  expect_state_tree(problems, record, c.outputs.at("state_tree"));
  expect_rngs(problems, *trainer, c.outputs);
  expect_indices(problems, *trainer, c.outputs);
  expect_files(problems, workdir, c.outputs.at("workdir_files"));
  expect_equal(problems, "element_spec.json",
               konfig::parse_json(base::read_file(workdir / "element_spec.json")),
               c.outputs.at("element_spec_json"));
  expect_aux(problems, result.aux, c.outputs.at("aux_of_last_step"), c.values);
  expect_images(problems, record, c.outputs.at("images"));
  expect_opt_state_at_end(problems, record, c);
  expect_texts(problems, workdir, c);
  expect_checkpoint_items(problems, *trainer, workdir, c);
  expect_fields(problems, to_tree(result.state), c.outputs.at("train_state_fields"));
  for (const Value& name : c.outputs.at("perf_stats_keys").as<List>()) {
    const std::string key = name.as<std::string>();
    if (std::ranges::find(record.speeds, key) == record.speeds.end()) {
      problems.push_back(key + " is missing");
    }
  }
  return problems;
}

// 12 steps of training with a standalone evaluator, then a job that only evaluates.
Problems run_eval_only(const TrainCase& c) {
  Problems problems;
  const base::TempFolder folder("kd_train_");
  const fs::path source = folder.path() / "src", target = folder.path() / "dst";
  const ConfigDict only =
      config_of(c.config_text, {{"WORKDIR", target.string()}, {"SOURCE_WORKDIR", source.string()}});

  ConfigDict train = only.copy();
  const auto guard = train.ignore_type();
  auto integer = [&](const char* name) { return c.args.at(name).as<std::int64_t>(); };
  train.set("workdir", source.string());
  train.set("seed", integer("train_seed"));
  train.set("num_train_steps", integer("num_train_steps"));
  train.set("stop_after_steps", Value());
  train.set("log_metrics_every", 1);
  train.set("log_summaries_every", 10);
  train.set("optimizer",
            konfig::call("optax:adam", {{"learning_rate", c.args.at("learning_rate")}}));
  train.set("checkpointer",
            konfig::call("kauldron.kd:ckpts.Checkpointer", {{"save_interval_steps", 5}}));
  train.set("init_transform", Value());
  train.set("setup", konfig::call("kauldron.kd:train.Setup"));
  const Value ds = only["evals"]["my_eval"]["ds"].get();
  ConfigDict evals;
  evals.set("alone",
            konfig::call("kauldron.kd:evals.Evaluator",
                         {{"run", konfig::call("kauldron.kd:evals.StandaloneEveryCheckpoint")},
                          {"ds", ds}}));
  train.set("evals", evals);

  RunRecord record;
  auto on_event = [&](const Event& event) { record.add(event); };
  auto trainer = konfig::resolve<Trainer>(train.copy());
  kd::train::TrainResult result =
      kd::train::train(*trainer, {.config = train, .on_event = on_event});
  record.add_state(result.state);
  const kd::evals::ContinuousOptions options{.on_event = on_event, .quiet_seconds = 0};
  kd::evals::continuous_eval(*trainer, {"alone"}, options);
  fs::create_directories(target);
  fs::copy_file(source / "element_spec.json", target / "element_spec.json");
  auto aux = kd::evals::continuous_eval(*konfig::resolve<Trainer>(only), {"my_eval"}, options);

  List keys;
  for (auto& entry : aux) keys.push_back(entry.first);
  expect_equal(problems, "returned_keys", keys, c.outputs.at("returned_keys"));
  expect_record(problems, record, c);
  expect_files(problems, source, c.outputs.at("workdir_files_train"));
  expect_files(problems, target, c.outputs.at("workdir_files_eval_only"));
  return problems;
}

}  // namespace golden
