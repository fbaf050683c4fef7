// ProblemBase: a problem that computes by itself, with a model and an optimizer of its own. The
// loop, its checkpoints, writers and signals are those of any run. One object does all of a run. A
// run that is resumed has a new one: of the old one it gets what ckpt_variables gave.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/core/tree.h"
#include "kd/data/engine/dataset.h"
#include "kd/problems/classes.h"

namespace kd::problems {

// What a step or a validation found: the number that is shown, and those that are logged.
struct Logs {
  double value = 0;
  std::vector<std::pair<std::string, double>> metrics = {};  // "ce_loss", logged as train/ce_loss
};

class ProblemBase {
 public:
  using cfg_interface = ProblemBase;
  static constexpr std::string_view cfg_role = "problem";
  virtual ~ProblemBase() = default;

  // One update, of the step `it` in its epoch.
  virtual Logs train_step(const Tree& batch, std::int64_t it) = 0;
  virtual void start_epoch() {}
  // Over all batches; none: there is no validation.
  virtual std::optional<Logs> validation(const data::Dataset&) { return {}; }
  // Everything that a resumed run needs to go on as if it had not been stopped: a dict of tensors
  // that the problem goes on using. They are written over when a run resumes. With `model_only`,
  // those that another run may start from.
  virtual Tree ckpt_variables(bool /*model_only*/) { return Tree::dict(); }
  // With each checkpoint.
  virtual void save_model(const std::filesystem::path& /*folder*/) {}
};

// A dataset that validates embeddings. `model` gives those of images (n, h, w, c).
class ValidatingDataset : public DatasetBase {
 public:
  using Embed = std::function<Tensor(const Tensor& images)>;
  virtual Logs validation(const Embed& model) const = 0;
};

}  // namespace kd::problems
