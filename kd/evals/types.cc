#include "kd/evals/evaluators.h"

KONFIG_REGISTER(kd::evals::EveryNSteps);
KONFIG_REGISTER(kd::evals::Once);
KONFIG_REGISTER(kd::evals::Final);
KONFIG_REGISTER(kd::evals::StandaloneEveryCheckpoint);
KONFIG_REGISTER(kd::evals::StandaloneLastCheckpoint);
KONFIG_REGISTER(kd::evals::Evaluator);
