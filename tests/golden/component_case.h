// What the golden tests of losses and metrics share: contexts, configs, comparison, the walk.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/core/tree.h"
#include "konfig/load.h"
#include "konfig/value.h"
#include "tests/golden/numbers.h"
#include "tests/golden/tensors.h"

namespace golden {

struct ComponentCase {
  std::string name, group, api;
  konfig::Dict args;
  konfig::Value inputs, outputs;
  Tolerance tolerance;
  std::string note;
  const Tensors* tensors = nullptr;

  const kd::Tensor& tensor(const konfig::Value& name) const;
};

// {"preds.x": tensor, "step": 3, "batch.t": ["a", "b"], "batch.y": {"shape": .., "dtype": ..}} as a
// tree; tensors of which only the shape is given hold 1.
kd::Tree context_of(const konfig::Dict& inputs, const Tensors& tensors);

// A config as a value that resolves: the texts "inf", "-inf" and "nan" are numbers.
konfig::Value built(const konfig::Value& config);
template <class I>
konfig::Poly<I> component_of(const konfig::Value& config) {
  return konfig::load<konfig::Poly<I>>(built(config));
}

// Compares a computed value with the reference's: a number, a text or texts, null, a list or dict
// of these, or {"tensor": name}. Dtypes matter for tensors only.
void compare_value(std::vector<Mismatch>& out, const std::string& what, const kd::Tree& ours,
                   const konfig::Value& wanted, const ComponentCase& c);

// Runs something that must fail as the reference does: `exception` names its type in Python.
void compare_error(std::vector<Mismatch>& out, const std::string& exception,
                   const std::function<void()>& run);

// The result of main: walks the area's cases.
int walk_components(const std::string& area, const std::vector<std::string>& chosen,
                    const std::function<std::vector<Mismatch>(const ComponentCase&)>& run);

}  // namespace golden
