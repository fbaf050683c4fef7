// WandbWriter: runs for Weights & Biases, without Python and without a network.
//
//   cfg.writer = train::WandbWriter{.project = "digits", .name = "baseline"};
//
// It writes an offline run, <workdir>/wandb/offline-run-<time>-<id>/, which `wandb sync` uploads.
// Under a W&B agent the run has the agent's id, project, entity and sweep: WANDB_RUN_ID,
// WANDB_PROJECT, WANDB_ENTITY and WANDB_SWEEP_ID beat the fields. No key is read or stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/writers/metric_writer.h"
#include "konfig/config_dict.h"
#include "konfig/inherit.h"

namespace kd::writers {

// What KDMetricWriter writes, and an offline run of W&B: config, numbers, images, histograms and
// texts.
struct WandbWriter {
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  std::optional<std::string> project = {};  // None: "uncategorized", as W&B has it
  std::optional<std::string> entity = {};   // a user or a team; None: the one who uploads
  std::optional<std::string> name = {};     // the name shown; under an agent with the run's id
  // Letters, digits, '-', '_' and '.'. None: a new one for a new run, the old one for a run that is
  // resumed.
  std::optional<std::string> id = {};
  std::optional<std::string> group = {};     // shown together with runs of the same group
  std::optional<std::string> job_type = {};  // "train"; any text
  std::optional<std::string> notes = {};     // any text
  std::vector<std::string> tags = {};        // any texts
  // What W&B shows as config; nested values get flat names ("optimizer.learning_rate"). Empty: the
  // config of the run.
  konfig::ConfigDict config = {};
  bool tensorboard = true;  // as in KDMetricWriter
  bool csv = true;          // as in KDMetricWriter
  bool json_lines = true;   // as in KDMetricWriter
  bool console = true;      // as in KDMetricWriter
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

}  // namespace kd::writers

namespace kd::train {
using writers::WandbWriter;
}  // namespace kd::train

KONFIG_COMPONENT(kd::MetricWriter, kd::writers::WandbWriter, "kd.train:WandbWriter",
                 "kauldron.kd:train.WandbWriter");
