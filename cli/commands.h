// The commands of kd. Each takes its options as a plain struct, prints to standard output
// and returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "kd/engine/options.h"

namespace cli {

struct ShowOptions {
  std::string format = "py";  // py, json or yaml
  std::string path = "";      // a part only
};
int show(Session& session, const ShowOptions& options);
int resolve(Session& session, const ShowOptions& options);

struct DiffOptions {
  std::vector<std::string> sources = {};  // "A" and "B", each as --cfg= takes it
  flags::ConfigFlag a = {}, b = {};       // --a.path=value, --b.path=value
  bool resolve = false;                   // compares what is built
  std::string format = "text";            // text or json
};
int diff_configs(Session& session, const DiffOptions& options);

struct SetOptions {
  std::string out = "";  // a .json or .yaml file
};
int set(Session& session, const SetOptions& options);

struct GetOptions {
  std::string path = "";
};
int get(Session& session, const GetOptions& options);

struct FieldsOptions {
  std::string type = "";  // "": all registered names
};
int fields(Session& session, const FieldsOptions& options);

struct SweepOptions {
  std::vector<std::string> names = {};  // several: every combination; none: each by itself
  std::string format = "text";          // text or json
};
int sweep(Session& session, const SweepOptions& options);

// The commands that compute.
struct TrainOptions {
  kd::engine::Options engine = {};
  std::string eval_names = "";    // "a,b": evaluates these instead
  std::string workdir = "";       // of resume
  std::optional<int> depth = {};  // of inspect
  std::string show = "model";     // of inspect: model, graph or schedules
  std::string out = "";           // of inspect: a picture of the schedules
};
int train(Session& session, const TrainOptions& options);
int resume(Session& session, const TrainOptions& options);
int eval(Session& session, const TrainOptions& options);
int check(Session& session, const TrainOptions& options);
int inspect(Session& session, const TrainOptions& options);

int list();
int help_config(Session& session);  // the fields of the config at hand

}  // namespace cli
