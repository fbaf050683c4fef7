// Everything a config file needs. Free of libtorch: configs are data, the engine comes later.
//
//   #include "kd/kd.h"
//   using namespace kd;
//   static Config<train::Trainer> get_config() { ... }
//   KONFIG_EXPORT(get_config)
#pragma once

#include "kd/data/pipelines_tf.h"
#include "kd/data/sources.h"
#include "kd/data/transforms_clips.h"
#include "kd/data/transforms_contrib.h"
#include "kd/data/transforms_frames.h"
#include "kd/data/transforms_names.h"
#include "kd/data/transforms_py.h"
#include "kd/data/transforms_shapes.h"
#include "kd/evals/special_evaluators.h"
#include "kd/train/eval_only.h"
#include "kd/train/trainer.h"
#include "konfig/config_registry.h"
#include "konfig/konfig.h"
#include "konfig/sweep.h"
