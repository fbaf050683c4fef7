// What a job is started with: the fields that Job, Experiment and kd's standalone evaluators share.
//
//   struct MyJob {
//     KXM_JOB_PARAMS(KXM_FIELD);
//     int further = 0;
//   };
//
// A field that is empty was not given: the experiment's, or else the default, applies. The list is
// a macro since an aggregate cannot inherit fields and keep its designated initialisers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/component.h"
#include "konfig/config_dict.h"
#include "konfig/fields.h"
#include "konfig/poly.h"
#include "konfig/value.h"

namespace kxm {

class Executor;  // kxm/executor.h

// Switches for finding out what a job does. Those about JAX are passed to programs that ask for
// them; `kd` accepts them and says that they mean nothing.
struct Debug {
  std::optional<bool> dump_hlo = {};           // XLA_FLAGS: dumps into the unit's folder
  std::optional<bool> jax_log_compiles = {};   // --jax_log_compiles
  std::optional<bool> flax_profile = {};       // FLAX_PROFILE=true
  std::optional<bool> pytype = {};             // accepted, not used
  std::optional<bool> catch_post_mortem = {};  // --catch_post_mortem: a debugger on failure
  std::optional<bool> xprof_port = {};         // --xprof_port= with a free port
  std::optional<bool> g3pdb_port = {};         // --g3pdb_port= with a free port
};

// The Python that runs a script. Accepted, not used: the python3 of the machine runs it.
struct MLPython {
  std::optional<std::string> version = {};            // "live"
  std::optional<std::string> fallback_behavior = {};  // "live"
};

// How a job with `use_interpreter` is run.
struct InterpreterInfo {
  std::optional<MLPython> mpm = {};             // accepted, not used
  std::optional<std::string> script_path = {};  // default: that of the target
};

// What a job takes of a machine, by the names of XManager: cpu, ram, disk, a100, replicas, ...
struct JobRequirements {
  konfig::Kwargs<konfig::Value> resources = {};  // cpu=4, ram="16GiB", v100="4x2", replicas=2
};

// A field of KXM_JOB_PARAMS: as a member, and as its doc.
#define KXM_FIELD(type, name, doc) type name = {}
#define KXM_FIELD_DOC(type, name, doc) docs.emplace_back(#name, doc)

#define KXM_JOB_PARAMS(X)                                                                         \
  X(std::optional<std::string>, target,                                                           \
    "the program: a path, a name in PATH, or //dir:name, a CMake target; default: kd itself");    \
  X(std::optional<int>, priority, "200 is normal; kept as a tag");                                \
  X(std::optional<std::string>, platform, "where it runs: cpu, a100=1, gpu=2");                   \
  X(std::optional<std::string>, cell, "the place of the settings file that it runs in");          \
  X(std::optional<std::string>, container,                                                        \
    "an image that it runs in on a cluster: by apptainer, podman or docker");                     \
  X(konfig::Value, citc_source, "accepted, not used");                                            \
  X(std::optional<bool>, use_interpreter, "runs a Python script instead of a program");           \
  X(std::optional<kxm::InterpreterInfo>, interpreter_info, "which script, with use_interpreter"); \
  X(konfig::Value, constraints, "accepted, not used");                                            \
  X(konfig::ConfigDict, requirements,                                                             \
    "what it takes: cpu, ram, gpu, replicas, time (in seconds, or 30min, 2h)");                   \
  X(konfig::Poly<kxm::Executor>, executor, "what starts it; default: this machine");              \
  X(konfig::ConfigDict, args, "arguments: {\"lr\": 0.1} becomes --lr=0.1");                       \
  X(konfig::ConfigDict, env_vars, "environment variables");                                       \
  X(konfig::ConfigDict, files, "files to keep with the experiment, by name: see kxm::file_path"); \
  X(std::optional<bool>, add_jax_flags, "passes the JAX flags of `debug`");                       \
  X(std::optional<std::vector<std::string>>, bazel_args, "accepted, not used");                   \
  X(std::optional<kxm::Debug>, debug, "switches for finding out what it does")

// Fields that stay config: what they hold is passed on, never built.
inline constexpr std::string_view kRawJobFields[] = {"citc_source", "constraints", "requirements",
                                                     "args",        "env_vars",    "files"};

// Gives the fields of a struct with KXM_JOB_PARAMS their docs; `type` is its C++ name.
bool register_job_param_docs(std::string_view type);

}  // namespace kxm

KONFIG_TYPE(kxm::Debug, "kauldron.kxm:Debug");
KONFIG_TYPE(kxm::MLPython, "kauldron.kxm:MLPython");
KONFIG_TYPE(kxm::InterpreterInfo, "kauldron.kxm:InterpreterInfo");
KONFIG_TYPE(kxm::JobRequirements, "xmanager.xm:JobRequirements");
