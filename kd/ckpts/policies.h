// Which checkpoints stay when a new one was saved. One of your own: kd/ckpts/retention.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "konfig/config_dict.h"

namespace kd {

class PreservationPolicy;  // tells which checkpoints stay

}  // namespace kd

namespace kd::ckpts {

struct Info;                     // kd/ckpts/retention.h
using Kept = std::vector<bool>;  // for each checkpoint, in order of their steps, whether it stays

// The newest ones.
struct LatestN {
  std::optional<int> n = {};  // None: all
  Kept kept(const std::vector<Info>& infos) const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
};

// Those at multiples of a number of steps.
struct EveryNSteps {
  Required<int> interval_steps;  // steps at a multiple of it are kept
  Kept kept(const std::vector<Info>& infos) const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
};

// One of each so many seconds.
struct EveryNSeconds {
  Required<int> interval_secs;  // seconds between two that are kept
  Kept kept(const std::vector<Info>& infos) const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
};

// Those at these steps.
struct CustomSteps {
  std::vector<int> steps = {};  // their numbers
  Kept kept(const std::vector<Info>& infos) const;
};

// Those that are best by a metric.
struct KeepBestN {
  Required<std::string> metric_path;             // "eval.accuracy"
  Required<std::optional<int>> n;                // None: all
  bool reverse = false;                          // the lowest are best
  bool keep_checkpoints_without_metrics = true;  // they stay, too
  Kept kept(const std::vector<Info>& infos) const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
};

// Those at 0 and at the interval times powers of the base: 0, 100, 200, 400, ...
struct ExpStep {
  int interval = 100;  // the first step that is kept, after 0
  int base = 2;        // each next one is so many times farther
  Kept kept(const std::vector<Info>& infos) const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
};

// Those that any of the policies keeps.
struct AnyPreservationPolicy {
  std::vector<Poly<PreservationPolicy>> policies = {};  // each by itself
  Kept kept(const std::vector<Info>& infos) const;
};

// ExpStep and KeepBestN.
struct KeepExpStepAndBestN {
  Required<int> interval;             // of ExpStep: the first step that is kept, after 0
  Required<std::string> metric_path;  // "eval.accuracy"
  Required<std::optional<int>> n;     // None: all
  int base = 2;                       // of ExpStep: each next one is so many times farther
  bool reverse = false;               // the lowest are best
  bool keep_checkpoints_without_metrics = true;  // they stay, too
  Kept kept(const std::vector<Info>& infos) const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
};

}  // namespace kd::ckpts

KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::LatestN, "kauldron.kd:ckpts.LatestN",
                 "kauldron.contrib.checkpoints:LatestN",
                 "orbax.checkpoint.checkpoint_managers:LatestN",
                 "kauldron.kd:contrib.checkpoints.LatestN");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::EveryNSteps, "kauldron.kd:ckpts.EveryNSteps",
                 "kauldron.contrib.checkpoints:EveryNSteps",
                 "orbax.checkpoint.checkpoint_managers:EveryNSteps",
                 "kauldron.kd:contrib.checkpoints.EveryNSteps");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::EveryNSeconds,
                 "kauldron.kd:ckpts.EveryNSeconds", "kauldron.contrib.checkpoints:EveryNSeconds",
                 "orbax.checkpoint.checkpoint_managers:EveryNSeconds",
                 "kauldron.kd:contrib.checkpoints.EveryNSeconds");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::CustomSteps, "kauldron.kd:ckpts.CustomSteps",
                 "kauldron.contrib.checkpoints:CustomSteps",
                 "orbax.checkpoint.checkpoint_managers:CustomSteps",
                 "kauldron.kd:contrib.checkpoints.CustomSteps");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::AnyPreservationPolicy,
                 "kauldron.kd:ckpts.AnyPreservationPolicy",
                 "kauldron.contrib.checkpoints:AnyPreservationPolicy",
                 "orbax.checkpoint.checkpoint_managers:AnyPreservationPolicy",
                 "kauldron.kd:contrib.checkpoints.AnyPreservationPolicy");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::ExpStep, "kauldron.contrib.checkpoints:ExpStep",
                 "kauldron.kd:contrib.checkpoints.ExpStep");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::KeepBestN,
                 "kauldron.contrib.checkpoints:keep_best_n",
                 "kauldron.kd:contrib.checkpoints.keep_best_n");
KONFIG_COMPONENT(kd::PreservationPolicy, kd::ckpts::KeepExpStepAndBestN,
                 "kauldron.contrib.checkpoints:keep_exp_step_and_best_n",
                 "kauldron.kd:contrib.checkpoints.keep_exp_step_and_best_n");
