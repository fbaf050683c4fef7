// The classes that experiments name.
#include "kd/problems/model_factory.h"
#include "kd/problems/optimizer_factory.h"
#include "kd/problems/shipped_problems.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/problems/tfds_wrapper.h"

CFG_SERIALIZABLE(kd::problems::SingleGPUTrainer);
CFG_SERIALIZABLE(kd::problems::Timekeeping);
CFG_SERIALIZABLE(kd::problems::ClassificationProblem);
CFG_SERIALIZABLE(kd::problems::DistillationProblem);
CFG_SERIALIZABLE(kd::problems::OptimizerFactory);
CFG_SERIALIZABLE(kd::problems::LRConstFactory);
CFG_SERIALIZABLE(kd::problems::LRMultiStepsFactory);
CFG_SERIALIZABLE(kd::problems::LRCosineDecayFactory);
CFG_SERIALIZABLE(kd::problems::LRExponentialDecayFactory);
CFG_SERIALIZABLE(kd::problems::TFDSWrapper);
CFG_SERIALIZABLE(kd::problems::ModelFactory);
CFG_SERIALIZABLE(kd::problems::EmbeddingModelFactory);
CFG_SERIALIZABLE(kd::problems::SavedModel);
