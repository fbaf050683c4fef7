// The sum of losses.
#include "kd/train/sum_losses.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "konfig/error.h"

namespace kd::train {

losses::LossesResult sum_losses(const Map<Poly<Loss>>& losses, const Context& context) {
  std::vector<std::string> names;
  for (auto& [name, loss] : losses) names.push_back(name);
  std::ranges::sort(names);
  kd::losses::LossesResult out{.total = at::zeros({}, at::kFloat), .states = {}};
  for (const std::string& name : names) {
    try {
      metrics::State state = kd::losses::get_state(losses.at(name), context);
      out.total = out.total + state.compute().tensor();
      out.states.emplace_back(name, std::move(state));
    } catch (const konfig::Error& e) {
      throw e.within(name);
    }
  }
  return out;
}

}  // namespace kd::train
