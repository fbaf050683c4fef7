// kd run: trains an experiment of registered classes, as tfimm's script does.
#include "kd/problems/run.h"
#include "base/count_text.h"
#include "base/join.h"
#include "base/shell_quote.h"
#include "base/stop_signal.h"
#include "cli/config_source.h"
#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/run_words.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "konfig/json.h"
#include "tfimm/train/dump_config.h"

namespace cli {
namespace {

using kd::problems::ExperimentConfig;
using tfimm::train::TextFormat;

// Flags of kd; a name that ends in '=' has a value.
const std::vector<std::string>& own_flags() {
  static const std::vector<std::string> flags = {
      "--print=", "--threads=", "--device=", "-h", "--help", "--version"};
  return flags;
}

enum class PrintedAs { yaml, flat, json, kd };  // kd: as kd train takes it

struct RunOptions {
  RunWords words = {};
  std::optional<PrintedAs> print = {};
  kd::engine::Options engine = {};
};

void take_words(std::vector<std::string>& args, RunOptions& o) {
  const bool has_verb_of_its_own = args.size() > 1 && args[1] == "eval_shape";
  if (args.front() == "run" && !has_verb_of_its_own) o.words = take_run_words(args, own_flags());
}

konfig::ConfigDict lowered(const ExperimentConfig& cfg) {
  try {
    return kd::problems::lower(cfg);
  } catch (const konfig::Error& e) {
    throw UsageError(kd::problems::text_of(e));
  }
}

void require_classes(const ExperimentConfig& cfg) {
  try {
    kd::problems::check_classes(cfg);
  } catch (const konfig::Error& e) {
    throw UsageError("--" + kd::problems::text_of(e));
  }
}

int show(const ExperimentConfig& cfg, PrintedAs format) {
  if (format == PrintedAs::kd) {
    print(konfig::to_json(lowered(cfg), {.indent = 2}) + "\n");
  } else {
    print(to_text(cfg, format == PrintedAs::yaml   ? TextFormat::yaml
                       : format == PrintedAs::flat ? TextFormat::flat
                                                   : TextFormat::json));
  }
  return kFine;
}

kd::engine::JobResult train(const kd::engine::Api& api, const kd::engine::ExperimentJob& job) {
  try {
    return api.run(job);
  } catch (const konfig::Error& e) {
    const std::string text = kd::problems::text_of(e);
    if (kd::problems::is_wrong_flag(e)) throw UsageError(text);
    throw Failure(text);
  }
}

int run_experiment(Session&, const RunOptions& o) {
  kd::engine::ExperimentJob job{.config = parse_experiment(o.words)};
  require_classes(job.config);
  if (o.print) {
    if (*o.print == PrintedAs::kd && !o.words.files.empty()) {
      const auto load = [](const std::string& file) { return "--load=" + base::shell_quote(file); };
      remark("note: kd train does not load these classes; kd run " +
             base::join(o.words.files, " ", load) + " --cfg_file=FILE.json trains this config");
    }
    return show(job.config, *o.print);
  }
  job.config = in_folder_of_run(std::move(job.config));
  job.lowered = lowered(job.config);  // finds mistakes before libtorch is loaded
  job.source = base::join(o.words.files, "\n", source_to_keep);
  const base::StopSignal stop;
  job.stop_signal = &base::StopSignal::received();
  const bool verbose = job.config.logging_level <= kd::problems::kInfo;
  if (verbose) print("Running with arguments\n" + tfimm::train::pprint(job.config));
  finish_output();

  const kd::engine::Api& api = load_engine();
  const std::string about = api.start(o.engine);
  const std::string folder = kd::problems::ckpt_dir_of(job.config);
  if (verbose) remark(about);
  if (verbose && !folder.empty()) remark("writing to " + folder);
  if (!folder.empty()) note_changed_experiment(folder, job.lowered);
  const auto result = train(api, job);
  if (result.stopped) {
    remark(kd::problems::stopped_text(result.step, result.saved && !folder.empty()));
    return 128 + base::StopSignal::received();
  }
  if (verbose) {
    remark("done: " + base::count_text(result.step, "step") +
           (folder.empty() ? "" : ", in " + folder));
  }
  return kFine;
}

const AddVerb<RunOptions> verb = {{
    .name = "run",
    .place = 12,
    .summary = "Train an experiment of registered classes",
    .help = R"(
An experiment names classes: a trainer, a problem, datasets, models. Each class brings
its flags, at any depth: --problem_class=ClassificationProblem makes --problem.* known.
Values come from class defaults, then the file of --cfg_file, then flags.
docs/tfimm.md explains it.

Exit codes: 0 trained, 1 failed, 2 usage, 130 or 143 stopped.

Examples:
  kd run --cfg_file=exp.yaml --problem.optimizer.lr_schedule.lr=0.1
  kd run --cfg_file=exp.yaml --load=my_problem.cc --problem_class=MyProblem
  kd run --cfg_file=exp.yaml --print=flat
  kd launch --xp=kd_run --cfg_file=exp.yaml --sweep.problem.weight_decay=[0.1,0.2]
)",
    .more_help = [](const RunOptions& o) { return experiment_help(o.words); },
    .complete =
        [](const Typing& typing) {
          std::vector<std::string> before = typing.before;
          return complete_experiment(take_run_words(before, own_flags()), typing.value);
        },
    .options =
        [](Options& add, RunOptions& o) {
          add.choice("--print", o.print,
                     "Prints the parsed config and trains nothing; kd: as kd train takes it");
          add.value("--load", o.words.files, "FILE",
                    "A C++ file with classes of your own, compiled and cached", cc_files);
          add_engine_flags(add, o.engine);
        },
    .prepare = take_words,
    .run = run_experiment,
}};

}  // namespace
}  // namespace cli
