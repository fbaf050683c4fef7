// Everything a config file needs. Free of libtorch: configs are data, the engine comes later.
//
//   #include "kd/kd.h"
//   using namespace kd;
//   static Config<train::Trainer> get_config() { ... }
//   KONFIG_EXPORT(get_config)
#pragma once

#if __has_include("kd/components.h")
#include "kd/components.h"  // made by the build: all headers that declare components
#else                       // an editor before the first build: what most configs use
#include "kd/data/pipelines/pipelines_tf.h"
#include "kd/data/sources/sources.h"
#include "kd/data/transforms/transforms_py.h"
#include "kd/evals/special_evaluators.h"
#include "kd/metrics/classification.h"
#include "kd/metrics/image.h"
#include "kd/metrics/stats.h"
#include "kd/nn/layers/activation.h"
#include "kd/nn/layers/conv.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/layers/dropout.h"
#include "kd/nn/layers/norm.h"
#include "kd/nn/layers/sequential.h"
#include "kd/nn/models/autoencoder.h"
#include "kd/nn/models/vit.h"
#include "kd/optim/adam.h"
#include "kd/optim/combine.h"
#include "kd/optim/descent.h"
#include "kd/optim/schedules.h"
#include "kd/optim/transforms.h"
#include "kd/summaries/images.h"
#include "kd/train/trainer.h"
#endif

#include "kd/train/eval_only.h"
#include "konfig/config_registry.h"
#include "konfig/konfig.h"
#include "konfig/sweep.h"
