// Cases of the area random that need modules: which key each parameter and each draw gets.
#pragma once

#include <string>

#include "tests/golden/tensors.h"

namespace golden {

// The outputs of a case of the groups flax_init and flax_draws, named as the reference's.
Tensors run_module_keys(const std::string& case_name, const konfig::Dict& args,
                        const Tensors& inputs);

}  // namespace golden
