// Everything a file needs that runs the engine itself or implements more of its interfaces than
// models, losses, metrics and transforms: loops, evaluators, writers, checkpoints, optimizers,
// sources.
//
//   #include "kd/run.h"
//   using namespace kd;
//   auto trainer = konfig::resolve<train::Trainer>(cfg);
//   train::TrainResult result = train::train(*trainer, {.config = cfg});
#pragma once

#include "kd/ckpts/engine/init_transform.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/ckpts/retention.h"
#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/data/formats.h"
#include "kd/engine/engine.h"
#include "kd/evals/engine/evaluator.h"
#include "kd/exports/engine/model.h"
#include "kd/inspect/trace.h"
#include "kd/io/file.h"
#include "kd/model.h"
#include "kd/nn/engine/summary.h"
#include "kd/optim/engine/mask.h"
#include "kd/optim/engine/skip.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/schedule.h"
#include "kd/train/engine/auxiliaries.h"
#include "kd/train/engine/train.h"
#include "kd/train/engine/train_step.h"
#include "kd/writers/engine/writer.h"
