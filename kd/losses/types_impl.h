// What the sources that register losses share.
#pragma once

#include "kd/losses/common.h"

namespace kd::losses {

// Lets all losses known by now stand where a metric is wanted.
inline bool register_as_metrics() {
  for (auto& type : konfig::components_of(konfig::type_name<Loss>)) {
    konfig::register_component(konfig::type_name<Metric>, type);
  }
  return true;
}

}  // namespace kd::losses
