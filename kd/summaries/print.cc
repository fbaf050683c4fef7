// Print: tensors in the log.
#include <cstdio>

#include "kd/core/ops.h"
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/contrib.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/number_text_impl.h"

namespace kd::summaries::contrib {

Tree PrintState::compute() const {
  for (auto& [path, tensor] : flatten(value)) {
    std::string name = path.empty() ? place : place + "/" + path;
    std::fprintf(stderr, "%s: %s\n", name.c_str(), detail::array_text(tensor).c_str());
  }
  return Tree();
}

PrintState Print::get_state(const kontext::Resolved& value) const {
  Tree tree = map(value.found.to<Tree>(), [&](const Tensor& tensor) {
    Tensor shown = tensor.detach().cpu();
    if (first_n <= 0) return shown.clone();
    shown = shown.reshape({-1});
    return shown.narrow(0, 0, std::min<std::int64_t>(first_n, shown.size(0))).clone();
  });
  return {.place = this->value.str(), .value = std::move(tree)};
}

}  // namespace kd::summaries::contrib
