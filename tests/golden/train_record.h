// What a training run did, recorded as the reference's runs are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kd/core/tensor.h"
#include "kd/train/engine/train.h"
#include "konfig/value.h"
#include "tests/golden/numbers.h"
#include "tests/golden/tensors.h"

namespace kd::train {
struct Trainer;
}

namespace golden {

namespace fs = std::filesystem;

// Scalars of a collection: name, step, value.
using Series = std::map<std::string, std::map<std::int64_t, double>>;

struct RunRecord {
  std::vector<std::string> order;        // "save 5", "step 5", "write train@5"
  std::map<std::string, Series> series;  // by collection, without speeds
  std::map<std::int64_t, std::map<std::string, kd::Tensor>> states;  // before each step, by path
  // Images: collection, step, name, shape and sum.
  struct Image {
    std::string collection;
    std::int64_t step;
    std::string name;
    std::vector<std::int64_t> shape;
    double sum;
  };
  std::vector<Image> images;
  std::vector<std::string> speeds;  // names

  void add(const kd::train::Event& event);
  void add_state(const kd::train::TrainState& state);
};

// The texts of a config with the run's folders in place.
konfig::ConfigDict config_of(const std::string& json,
                             const std::map<std::string, std::string>& folders);

struct TrainCase {
  std::string name;
  const konfig::Dict& args;
  const konfig::Dict& outputs;  // the reference's
  const konfig::Dict& tensor_names;
  Tolerance values, params;
  const Tensors& tensors;
  std::string config_text;
  Differences& differences;
};
Problems run_training(const TrainCase& c);
Problems run_eval_only(const TrainCase& c);

// ---- Comparison.
// The order of events, the numbers of training and of each evaluation, and the states.
void expect_record(Problems& problems, RunRecord& record, const TrainCase& c);
// A tensor as sums and some of its elements.
void expect_checksum(Problems& problems, const std::string& what, const kd::Tensor& ours,
                     const konfig::Dict& wanted, const Tolerance& tolerance);
// The optimizer's state after the last step, where it is recorded.
void expect_opt_state_at_end(Problems& problems, const RunRecord& record, const TrainCase& c);
// The texts about a run that the writers got: tables row by row, others as they are.
void expect_texts(Problems& problems, const fs::path& workdir, const TrainCase& c);
// What checkpoints hold beside the state: the timer's fields and the positions in the data.
void expect_checkpoint_items(Problems& problems, const kd::train::Trainer& trainer,
                             const fs::path& workdir, const TrainCase& c);
// Files at the top and folders of checkpoints; those inside of checkpoints are our own.
void expect_files(Problems& problems, const fs::path& workdir, const konfig::Value& wanted);

}  // namespace golden
