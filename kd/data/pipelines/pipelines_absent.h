// Pipelines of the reference that need Python. Their configs load, print and change as all others;
// opening one says what to use instead.
#pragma once

#include <string>

#include "kd/data/pipelines/pipelines.h"
#include "konfig/fields.h"

namespace kd::data::py {

// A dataset of the Hugging Face hub. It is not read here; write it as JSON lines first.
struct HuggingFace {
  Required<std::string> path;                // name on the hub, or a folder
  Required<std::string> split;               // "train"
  konfig::Kwargs<konfig::Value> other = {};  // all else that the reference knows

  Dataset open(const Process& process) const;
};

}  // namespace kd::data::py

namespace kd::data::tf {

// A task of SeqIO. It is not read here; write its examples as TFRecord first.
struct SeqIOTask {
  Required<std::string> name;                // of the task
  Required<std::string> split;               // "train"
  konfig::Kwargs<konfig::Value> other = {};  // all else that the reference knows

  Dataset open(const Process& process) const;
};

// A mixture of SeqIO's tasks. It is not read here; see Mix.
struct SeqIOMixture {
  Required<std::string> name;                // of the mixture
  Required<std::string> split;               // "train"
  konfig::Kwargs<konfig::Value> other = {};  // all else that the reference knows

  Dataset open(const Process& process) const;
};

}  // namespace kd::data::tf

KONFIG_COMPONENT(kd::Pipeline, kd::data::py::HuggingFace, "kauldron.kd:data.py.HuggingFace");
KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::SeqIOTask, "kauldron.kd:data.tf.SeqIOTask");
KONFIG_COMPONENT(kd::Pipeline, kd::data::tf::SeqIOMixture, "kauldron.kd:data.tf.SeqIOMixture");
