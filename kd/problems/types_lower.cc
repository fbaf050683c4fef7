// From experiments to trainers.
#include "kd/problems/model_factory.h"
#include "kd/problems/optimizer_factory.h"
#include "kd/problems/shipped_problems.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/problems/tfds_wrapper.h"
#include "konfig/error.h"

namespace kd::problems {

namespace {

[[noreturn]] void fail_not_yet() {
  throw konfig::Error(konfig::ErrorKind::unsupported, "experiments cannot be trained yet");
}

}  // namespace

konfig::ConfigDict lower(const ExperimentConfig&) { fail_not_yet(); }
ExperimentConfig experiment_of(const konfig::ConfigDict&) { fail_not_yet(); }

void SingleGPUTrainer::lower_into(train::Trainer&, const Experiment&) const { fail_not_yet(); }
void ClassificationProblem::lower_into(train::Trainer&, const Experiment&) const { fail_not_yet(); }
void DistillationProblem::lower_into(train::Trainer&, const Experiment&) const { fail_not_yet(); }
Poly<ScheduleFn> OptimizerFactory::lr_schedule(const Timekeeping&) const { fail_not_yet(); }
Poly<Optimizer> OptimizerFactory::optimizer(const Poly<ScheduleFn>&) const { fail_not_yet(); }
Poly<ScheduleFn> LRConstFactory::schedule(const Timekeeping&) const { fail_not_yet(); }
Poly<ScheduleFn> LRMultiStepsFactory::schedule(const Timekeeping&) const { fail_not_yet(); }
Poly<ScheduleFn> LRCosineDecayFactory::schedule(const Timekeeping&) const { fail_not_yet(); }
Poly<ScheduleFn> LRExponentialDecayFactory::schedule(const Timekeeping&) const { fail_not_yet(); }
Poly<Pipeline> TFDSWrapper::pipeline() const { fail_not_yet(); }
ModelParts ModelFactory::model() const { fail_not_yet(); }
ModelParts EmbeddingModelFactory::model() const { fail_not_yet(); }
ModelParts SavedModel::model() const { fail_not_yet(); }

}  // namespace kd::problems
