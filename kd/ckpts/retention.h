// Retention policies at work. One of your own is a struct with a member `kept`:
//
//   struct FirstAndLast {
//     std::vector<bool> kept(const std::vector<ckpts::Info>& infos) const {
//       std::vector<bool> out(infos.size(), false);
//       out.front() = out.back() = true;
//       return out;
//     }
//   };
//   KD_COMPONENT(kd::PreservationPolicy, FirstAndLast);
//
//   cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 100,
//                                          .preservation_policy = FirstAndLast{}};
#pragma once

#include <cstdint>
#include <vector>

#include "kd/ckpts/policies.h"
#include "kd/core/implement.h"
#include "konfig/value.h"

namespace kd::ckpts {

// What is known of a checkpoint without reading it.
struct Info {
  std::int64_t step = 0;
  double time = 0;             // seconds since 1970
  konfig::Value metrics = {};  // None when there are none
};

// Asked when a new checkpoint, the last of `infos`, is about to be saved; there is at least one. An
// Error when the policy's answer is not one for each.
Kept kept(const Poly<PreservationPolicy>& policy, const std::vector<Info>& infos);

struct PreservationPolicyOps {
  Kept (*kept)(const void* self, const std::vector<Info>& infos);
};

}  // namespace kd::ckpts

template <>
struct kd::Implement<kd::PreservationPolicy> {
  using Ops = ckpts::PreservationPolicyOps;
  template <class T>
  static constexpr Ops ops = {[](const void* self, const std::vector<ckpts::Info>& infos) {
    return static_cast<const T*>(self)->kept(infos);
  }};
};
