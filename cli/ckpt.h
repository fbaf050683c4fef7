// `kd ckpt`: look at checkpoints, compare them, make them from files of other programs.
#pragma once

#include "kd/checkpoints/command.h"

namespace cli {

struct CkptOptions {
  kd::ckpts::ShowOptions show = {};
  kd::ckpts::DiffOptions diff = {};
  kd::ckpts::ImportOptions import = {};
};
int show_ckpt(const CkptOptions& options);
int diff_ckpts(const CkptOptions& options);
int import_ckpt(const CkptOptions& options);

}  // namespace cli
