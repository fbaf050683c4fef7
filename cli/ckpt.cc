#include "cli/ckpt.h"

#include "cli/engine.h"
#include "cli/program.h"
#include "cli/terminal.h"

namespace cli {
namespace {

const kd::ckpts::CommandApi& api() {
  load_engine();
  return *reinterpret_cast<decltype(&kd_checkpoints_api)>(engine_symbol("kd_checkpoints_api"))();
}

}  // namespace

int show_ckpt(const CkptOptions& options) {
  print(api().show(options.show));
  return kFine;
}

int diff_ckpts(const CkptOptions& options) {
  const kd::ckpts::Diff diff = api().diff(options.diff);
  print(diff.text);
  return diff.equal ? kFine : kFailure;
}

int import_ckpt(const CkptOptions& options) {
  print(api().import(options.import));
  return kFine;
}

}  // namespace cli
