// The commands of `kd data`: looking at the data that a config describes.
#pragma once

#include <string>

#include "cli/session.h"
#include "kd/engine/options.h"
#include "kd/inspect/data_api.h"

namespace cli {

struct DataCommand {
  kd::engine::Options engine = {};
  kd::inspect::DataOptions data = {};
  std::string out = "";  // a .png file; "": only on a terminal that can show it
};

int data_spec(Session& session, const DataCommand& command);
int data_stats(Session& session, const DataCommand& command);
int data_show(Session& session, const DataCommand& command);
int data_bench(Session& session, const DataCommand& command);

}  // namespace cli
