#include "kd/evals/special_evaluators.h"

KONFIG_REGISTER(kd::evals::FewShotEvaluator);
KONFIG_REGISTER(kd::evals::CheckpointedEvaluator);
KONFIG_REGISTER(kd::evals::TrainEvaluator);
