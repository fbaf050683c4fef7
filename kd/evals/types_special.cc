#include "kd/also_named_impl.h"
#include "kd/evals/special_evaluators.h"

KONFIG_REGISTER(kd::evals::FewShotEvaluator);
KONFIG_REGISTER(kd::evals::CheckpointedEvaluator);
KONFIG_REGISTER(kd::evals::TrainEvaluator);
KONFIG_RUN(kd::contrib_named("evals", {"CheckpointedEvaluator", "TrainEvaluator"}));
