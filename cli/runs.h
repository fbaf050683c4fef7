// Runs of the trainer that a config describes: where their files go, and how they end.
#pragma once

#include <string>

#include "cli/session.h"
#include "kd/engine/options.h"

namespace cli {

// Which evaluators run, by name or by group; all that have jobs of their own if neither is given.
struct EvalChoice {
  std::string names = "";  // "a,b"
  std::string job_group = "";
  double quiet_seconds = 10;  // how long a complete run is watched for another checkpoint
};

// Each returns the exit code.
int train(Session& session, const kd::engine::Options& engine);
int eval(Session& session, const EvalChoice& choice, const kd::engine::Options& engine);

// Trains in the folder, which the config names, too.
int train_in(Session& session, konfig::ConfigDict cfg, const std::string& workdir,
             const kd::engine::Options& engine);
// Says what differs from the experiment that the run in this folder began with, if there is one. Of
// both the trainer's config is compared, which holds the experiment.
void note_changed_experiment(const std::string& workdir, const konfig::ConfigDict& lowered);
// Says so if the training data have no batch axis: 0 is easily typed for "all".
void note_unbatched(const konfig::ConfigDict& cfg);
void set_workdir(konfig::ConfigDict& cfg, const std::string& workdir);

}  // namespace cli
