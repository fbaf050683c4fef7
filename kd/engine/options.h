// How the engine runs: threads and device. Free of libtorch, for programs that load it later.
#pragma once

#include <optional>
#include <string>

namespace kd::engine {

struct Options {
  std::optional<int> threads = {};  // none: as many as the cores this process may use
  std::string device = "cpu";       // "cpu", "cuda", "cuda:1"
};

// What a program that opens the engine's library at run time finds in it, by `kd_engine_api`.
struct Api {
  // Sets threads and device, and describes them: "libtorch 2.15.0 (AVX2), device cpu, 2 threads".
  std::string (*start)(const Options& options);
};

}  // namespace kd::engine

extern "C" const kd::engine::Api* kd_engine_api();
