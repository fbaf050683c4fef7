// An executor that nobody implements: building it is an error.
#pragma once

#include "konfig/component.h"
#include "kxm/executor.h"

namespace kxm {

struct Nowhere {
  void submit(std::span<const Attempt> attempts) const;
  std::vector<Seen> poll(std::span<const Attempt> attempts) const;
  void stop(std::span<const Attempt> attempts, Stop how) const;
};

}  // namespace kxm

KONFIG_COMPONENT(kxm::Executor, kxm::Nowhere, "kauldron.kxm:Nowhere");
