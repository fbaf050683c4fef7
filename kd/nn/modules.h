// All models and layers, as configs see them: free of libtorch. Models include kd/nn/nn.h instead.
#pragma once

// IWYU pragma: begin_exports
#include "kd/nn/activation.h"
#include "kd/nn/attention.h"
#include "kd/nn/autoencoder.h"
#include "kd/nn/conv.h"
#include "kd/nn/dense.h"
#include "kd/nn/dropout.h"
#include "kd/nn/embed.h"
#include "kd/nn/embeddings.h"
#include "kd/nn/identity.h"
#include "kd/nn/improved_attention.h"
#include "kd/nn/initializers_scaled.h"
#include "kd/nn/kd_attention.h"
#include "kd/nn/kd_dropout.h"
#include "kd/nn/kd_sequential.h"
#include "kd/nn/norm.h"
#include "kd/nn/patchify.h"
#include "kd/nn/precision.h"
#include "kd/nn/readout.h"
#include "kd/nn/rearrange.h"
#include "kd/nn/rnn.h"
#include "kd/nn/sequential.h"
#include "kd/nn/transformer.h"
#include "kd/nn/vit.h"
#include "kd/nn/wrapper.h"
// IWYU pragma: end_exports
