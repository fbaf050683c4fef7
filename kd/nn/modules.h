// All models and layers, as configs see them: free of libtorch. Models include kd/nn/engine/nn.h
// instead.
#pragma once

// IWYU pragma: begin_exports
#include "kd/nn/attention/attention.h"
#include "kd/nn/attention/improved_attention.h"
#include "kd/nn/attention/kd_attention.h"
#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/layers/activation.h"
#include "kd/nn/layers/conv.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/layers/dropout.h"
#include "kd/nn/layers/embed.h"
#include "kd/nn/layers/embeddings.h"
#include "kd/nn/layers/identity.h"
#include "kd/nn/layers/kd_dropout.h"
#include "kd/nn/layers/kd_sequential.h"
#include "kd/nn/layers/norm.h"
#include "kd/nn/layers/patchify.h"
#include "kd/nn/layers/rearrange.h"
#include "kd/nn/layers/sequential.h"
#include "kd/nn/layers/wrapper.h"
#include "kd/nn/models/autoencoder.h"
#include "kd/nn/models/precision.h"
#include "kd/nn/models/readout.h"
#include "kd/nn/models/transformer.h"
#include "kd/nn/models/vit.h"
#include "kd/nn/recurrent/rnn.h"
// IWYU pragma: end_exports
