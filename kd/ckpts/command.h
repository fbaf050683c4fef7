// What `kd ckpt` does. Free of libtorch, for a program that loads the engine later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kd::ckpts {

struct ShowOptions {
  std::string source = "";                // a workdir, a checkpoint's folder or a .safetensors file
  std::optional<std::int64_t> step = {};  // of a workdir; none: the newest
};

struct DiffOptions {
  std::string a = "", b = "";                            // as `source` of ShowOptions
  std::optional<std::int64_t> a_step = {}, b_step = {};  // of workdirs; none: the newest
  double tolerance = 0;                                  // differences up to this are none
};
struct Diff {
  bool equal = false;
  std::string text;
};

struct ImportOptions {
  std::string source = "";   // .safetensors of PyTorch, .msgpack of Flax, a folder of Orbax
  std::string workdir = "";  // gets the checkpoint
  std::optional<std::int64_t> step = {};  // of the checkpoint; none: that of the source, or 0
  bool keep_names = false;                // names and layouts stay as they are
};

std::string show_checkpoint(const ShowOptions& options);
Diff diff_checkpoints(const DiffOptions& options);
std::string import_checkpoint(const ImportOptions& options);

}  // namespace kd::ckpts
