// The options that all of `kd data` have.
#pragma once

#include "cli/engine.h"
#include "cli/verb.h"
#include "cli/whole_number.h"

namespace cli {

struct DataVerb {
  kd::engine::Options engine = {};
  kd::inspect::DataOptions data = {};
};

inline void add_data_flags(Options& add, DataVerb& o) {
  add.value("--ds", o.data.ds, "PATH",
            "The dataset in the config; by default train_ds, or the config itself", config_paths);
  add_engine_flags(add, o.engine);
}

inline void add_batches(Options& add, DataVerb& o, const char* help) {
  add.value("--batches", o.data.batches, "N", help)->check(at_least(1));
}

}  // namespace cli
