// What `kd data` shows of a dataset. Free of libtorch, for programs that load the engine later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "konfig/config_dict.h"

namespace kd::inspect {

struct DataOptions {
  std::string ds = "";                       // "train_ds", "evals.eval.ds"; "": the usual one
  std::optional<std::int64_t> batches = {};  // how many are read at most
  int n = 16;                                // images in a picture
  std::string key = "";                      // the element with the images; "": the first of them
  std::string label = "";                    // the element that names them; "": found by its name
  double seconds = 3;                        // how long a measurement takes
};

// Rows of red, green and blue, and the same as a PNG file.
struct Picture {
  std::int64_t height = 0, width = 0;
  std::string rgb, png;
};

// Each reads the dataset that `options` names in the config.
std::string show_spec(const konfig::ConfigDict& config, const DataOptions& options);
std::string show_stats(const konfig::ConfigDict& config, const DataOptions& options);
Picture show_images(const konfig::ConfigDict& config, const DataOptions& options);
std::string show_speed(const konfig::ConfigDict& config, const DataOptions& options);

}  // namespace kd::inspect
