// Runs of the trainer that a config describes: where their files go, and how they end.
#pragma once

#include <string>

#include "cli/session.h"
#include "kd/engine/options.h"

namespace cli {

// Each returns the exit code.
int train(Session& session, const kd::engine::Options& engine);
int eval(Session& session, const std::string& names, const kd::engine::Options& engine);  // "a,b"

// Trains in the folder, which the config names, too.
int train_in(Session& session, konfig::ConfigDict cfg, const std::string& workdir,
             const kd::engine::Options& engine);
// Says what differs from the experiment that the run in this folder began with, if there is one. Of
// both the trainer's config is compared, which holds the experiment.
void note_changed_experiment(const std::string& workdir, const konfig::ConfigDict& lowered);
void set_workdir(konfig::ConfigDict& cfg, const std::string& workdir);

}  // namespace cli
