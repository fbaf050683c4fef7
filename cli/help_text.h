// The texts of --help that are not a flag's own.
#pragma once

namespace cli {

inline constexpr const char* kSummary = "Kauldron for C++: experiments as configs.";

inline constexpr const char* kFooter = R"(
Examples:
  kd train --cfg=mnist_autoencoder
  kd new my_project
  kd config list
  kd config show --cfg=mnist_autoencoder --cfg.seed=1
  kd config diff mnist_autoencoder other.json
  kd data show --cfg=mnist_autoencoder --out=batch.png

Every command explains itself: kd config show --help.
Exit codes: 0 fine, 1 failure (also: configs differ), 2 wrong usage, 130 or 143 a
run was stopped.)";

// Below the help of every command that takes a config.
#define KD_CONFIG_FLAGS                                                                   \
  "\nThe config:\n"                                                                       \
  "  --cfg=SOURCE            a name (kd config list), or a file: .cc, .py, .json,\n"      \
  "                          .yaml; - reads JSON or YAML from standard input\n"           \
  "  --cfg=SOURCE:ARGS       with arguments for its get_config: x.py:size=3,name='b'\n"   \
  "  --cfg.__args__.NAME=V   the same, one by one\n"                                      \
  "Overrides, applied once the config is built:\n"                                        \
  "  --cfg.PATH=VALUE        a field: --cfg.optimizer.learning_rate=1e-4\n"               \
  "                          an item: --cfg.train_ds.transforms[0].keep[0]=label\n"       \
  "                          a node:  --cfg.optimizer='py::optax.sgd(learning_rate=1)'\n" \
  "                          a type:  --cfg.optimizer.__qualname__=optax:sgd\n"           \
  "  --cfg.PATH, --nocfg.PATH   True and False\n"                                         \
  "VALUE is JSON or a Python literal, else text.\n"                                       \
  "kd config help --cfg=SOURCE lists the fields of a config.\n"

inline constexpr const char* kConfigFlags = KD_CONFIG_FLAGS;

inline constexpr const char* kShowHelp = KD_CONFIG_FLAGS R"(
Examples:
  kd config show --cfg=mnist_autoencoder
  kd config show --cfg=mnist_autoencoder --format=json | jq .model
  kd config show --cfg=my_config.cc --path=model.encoder)";

inline constexpr const char* kResolveHelp = KD_CONFIG_FLAGS R"(
Every field is printed with the value it gets: references followed, defaults
filled in. A mistake in the config is reported with its path.

Examples:
  kd config resolve --cfg=mnist_autoencoder
  kd config resolve --cfg=mnist_autoencoder --path=optimizer --format=json)";

inline constexpr const char* kDiffHelp = R"(
Prints one line for each difference (path: old -> new, path: added new,
path: removed old). The order of keys is no difference, nor is list or tuple,
nor a call's argument by position or by name. Exit code 1 when they differ.

Overrides:
  --a.PATH=VALUE, --b.PATH=VALUE   of the first and of the second config
  --cfg=... --cfg.PATH=VALUE       take the place of the second config; alone,
                                   the overrides are what is compared

Examples:
  kd config diff mnist_autoencoder other.json
  kd config diff old.py new.cc --b.seed=0
  kd config diff mnist_autoencoder --a.seed=1 --b.seed=2
  kd config diff --cfg=mnist_autoencoder --cfg.seed=1)";

inline constexpr const char* kSetHelp = KD_CONFIG_FLAGS R"(
The file is written aside and renamed: it is there as a whole or not at all.

Examples:
  kd config set --cfg=mnist_autoencoder --cfg.seed=1 --out=run.json
  kd config set --cfg=run.json --cfg.seed=2 --out=run.json)";

inline constexpr const char* kGetHelp = KD_CONFIG_FLAGS R"(
Text is printed as it is, anything else as JSON on one line.

Examples:
  kd config get seed --cfg=mnist_autoencoder
  kd config get 'train_ds.transforms[0].keep' --cfg=mnist_autoencoder)";

inline constexpr const char* kFieldsHelp = R"(
TYPE is a registered name, with or without what comes before its last part, or
the name of the C++ type. With --cfg=FILE.cc the types of that file are known too.

Examples:
  kd config fields
  kd config fields optax.adam
  kd config fields Trainer)";

inline constexpr const char* kSweepHelp = KD_CONFIG_FLAGS R"(
Sweeps are the functions sweep() and sweep_NAME() of a config file.

Examples:
  kd config sweep --cfg=my_config.py
  kd config sweep --cfg=my_config.py lr
  kd config sweep --cfg=my_config.py lr model --format=json)";

inline constexpr const char* kListHelp = R"(
Example:
  kd config show --cfg=$(kd config list | head -1))";

inline constexpr const char* kConfigHelpHelp = KD_CONFIG_FLAGS R"(
Examples:
  kd config help --cfg=mnist_autoencoder
  kd config show --cfg=mnist_autoencoder --help)";

inline constexpr const char* kTrainHelp = KD_CONFIG_FLAGS R"(
The run writes to the folder --cfg.workdir=DIR, by default to a new one below
./runs. If that folder has checkpoints, the run goes on from the newest.

Ctrl-C, or SIGTERM, ends the run after the step, with a checkpoint to go on
from: exit code 130 or 143. A second one ends it at once.

Examples:
  kd train --cfg=mnist_autoencoder
  kd train --cfg=my_config.cc --cfg.workdir=runs/a --cfg.num_train_steps=100)";

inline constexpr const char* kResumeHelp = R"(
Reads WORKDIR/config.json and goes on from the newest checkpoint. Types of a C++
config of your own come from the file that the run was started with.
--cfg=my_config.cc takes the config, and its types, from another file.
Overrides change the config: --cfg.num_train_steps=2000.

Examples:
  kd resume runs/mnist_autoencoder-1
  kd resume runs/mnist_autoencoder-1 --cfg.num_train_steps=2000)";

inline constexpr const char* kEvalHelp = KD_CONFIG_FLAGS R"(
Runs evaluators that have a job of their own (StandaloneEveryCheckpoint,
StandaloneLastCheckpoint) on the checkpoints in --cfg.workdir, until training
is complete. A config that only evaluates a finished run needs no workdir: its
results go to a new folder below ./runs.

Examples:
  kd eval --cfg=mnist_standalone_eval --cfg.workdir=runs/a
  kd eval --cfg=mnist_standalone_eval --cfg.workdir=runs/a --eval_names=eval1,eval2)";

inline constexpr const char* kCheckHelp = KD_CONFIG_FLAGS R"(
Builds everything, checks keys and shapes, runs one step on two examples and
each evaluator on one batch. Nothing is written.

  --patch.NAME=VALUE      how the config is made short before the overrides:
                          stop_after_steps=1, batch_size=2, num_batches=1,
                          skip_eval, eval_run_once=False, skip_checkpointer=False,
                          skip_metrics, skip_summaries, profile. Other commands take
                          them, too: one of them makes the config short.

Examples:
  kd check --cfg=mnist_autoencoder
  kd check --cfg=mnist_autoencoder --patch.batch_size=64 --patch.stop_after_steps=10
  kd check --cfg=my_config.cc --cfg.model.encoder.features=64)";

inline constexpr const char* kInspectHelp = KD_CONFIG_FLAGS R"(
One row for each module: what it is called with, what it gives, and how many
parameters of its own it has; with --depth also those of the modules inside it
that are not shown. Parameters that are shared are counted once.

Examples:
  kd inspect --cfg=mnist_autoencoder
  kd inspect --cfg=tiny_vit --depth=2
  kd inspect --cfg=tiny_vit --show=graph | dot -Tsvg > graph.svg
  kd inspect --cfg=tiny_vit --show=schedules --out=schedules.png)";

inline constexpr const char* kNewHelp = R"(
Writes a small experiment of your own into the new folder: a data source, a
model, a loss, a config, a test, a CMakeLists.txt and a README that tells more.
The last part of PATH is its name, in the code too: letters, digits and '_'.

Examples:
  kd new my_project
  cd my_project && kd train --cfg=config.cc)";

inline constexpr const char* kDataSpecHelp = KD_CONFIG_FLAGS R"(
Reads as little as the pipeline allows: usually one record.

Examples:
  kd data spec --cfg=mnist_autoencoder
  kd data spec --cfg=my_config.cc --ds=evals.eval.ds)";

inline constexpr const char* kDataStatsHelp = KD_CONFIG_FLAGS R"(
For each element: type, range, mean, standard deviation and a histogram. Reads
the whole dataset, or the first 256 batches of one without end.

Examples:
  kd data stats --cfg=mnist_autoencoder --cfg.train_ds.num_epochs=1
  kd data stats --cfg=mnist_autoencoder --batches=10)";

inline constexpr const char* kDataShowHelp = KD_CONFIG_FLAGS R"(
A grid of the first images, each above its label. A terminal that can (kitty,
iTerm2, WezTerm, Ghostty, Konsole, VS Code; others in coarse blocks) shows it.

Examples:
  kd data show --cfg=mnist_autoencoder -n 16 --out=batch.png
  kd data show --cfg=my_config.cc --key=depth --label=name)";

inline constexpr const char* kDataBenchHelp = KD_CONFIG_FLAGS R"(
How many batches a second the dataset gives when nothing else runs, and how
much of the time, on all threads, each step takes.

Examples:
  kd data bench --cfg=mnist_autoencoder
  kd data bench --cfg=mnist_autoencoder --cfg.train_ds.num_workers=1 --seconds=10)";

inline constexpr const char* kEngineHelp = R"(
Loads the engine and prints, for example: libtorch 2.15.0 (AVX2), device cpu, 2 threads

Examples:
  kd engine
  kd engine --threads=1 --device=cuda)";

inline constexpr const char* kPlotHelp = R"(
One panel for each loss and metric, one curve for each run and collection, from
the files metrics.jsonl in the runs' folders.

Examples:
  kd plot runs/a
  kd plot runs/a runs/b --keys='losses/*' --log --out=curves.png)";

inline constexpr const char* kCkptShowHelp = R"(
For a workdir also the list of its checkpoints, each read and checked.

Examples:
  kd ckpt show runs/a
  kd ckpt show runs/a --step=500
  kd ckpt show runs/a/checkpoints/ckpt_500)";

inline constexpr const char* kCkptDiffHelp = R"(
Prints the tensors that differ, and by how much. Exit code 1 when some do.

Examples:
  kd ckpt diff runs/a runs/b
  kd ckpt diff runs/a runs/a --a-step=500 --tolerance=1e-6)";

inline constexpr const char* kCkptImportHelp = R"(
Names and layouts of PyTorch become those of Flax: weight becomes kernel (turned
around) or scale, layers.0 becomes layers_0. docs/checkpoints.md has the rules.

Examples:
  kd ckpt import model.safetensors runs/imported
  kd ckpt import flax_model.msgpack runs/imported --step=1000)";

inline constexpr const char* kCompletionHelp = R"(
Completes commands, flags, config names and the paths of --cfg.PATH.

Examples:
  echo 'source <(kd completion bash)' >> ~/.bashrc
  echo 'source <(kd completion zsh)' >> ~/.zshrc       # after compinit
  kd completion fish > ~/.config/fish/completions/kd.fish)";

#undef KD_CONFIG_FLAGS

}  // namespace cli
