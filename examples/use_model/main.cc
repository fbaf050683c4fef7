// Uses a model that a training run exported, on random images:
//   use_model runs/a/train_model
// Own model types have to be linked in; the library's are there.
#include <ATen/ops/rand.h>

#include <iostream>

#include "kd/core/ops.h"
#include "kd/exports/engine/model.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: use_model FOLDER\n";
    return 2;
  }
  try {
    const kd::Model model = kd::load_model(argv[1]);
    // A batch as the model was trained with, of two examples.
    const kd::Tree batch = kd::map(model.element_spec(), [](const kd::Tensor& spec) {
      auto shape = spec.sizes().vec();
      if (!shape.empty()) shape[0] = 2;
      return at::rand(shape).to(spec.scalar_type());
    });
    for (auto& [path, tensor] : kd::flatten(model(batch))) {
      std::cout << path << ": " << tensor.sizes() << "\n";
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
