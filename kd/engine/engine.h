// The machine: how many threads compute, and on which device. Chosen once, at the start.
//
//   engine::configure({.threads = 2, .device = "cpu"});
//   Tensor x = at::zeros({8}, engine::device());
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "kd/engine/options.h"

namespace kd::engine {

// Sets the number of threads and the device. An Error for a device that cannot be used says why and
// what to do. Results that the reference defines exactly do not depend on the number of threads.
void configure(const Options& options = {});

// Where tensors are made: the CPU.
c10::Device device();

// The engine in one line: "libtorch 2.15.0 (AVX2), device cpu, 2 threads".
std::string describe();

// The cores this process may use: its affinity, and the CPU quota of its control groups. At
// least 1.
int available_cores();

}  // namespace kd::engine
