// NNX: modules that are Python classes. Configs with one load, print and change as all others;
// building it says what to write instead.
#include "kd/core/interfaces.h"
#include "konfig/absent.h"
#include "konfig/error.h"
#include "konfig/fields.h"
#include "konfig/register.h"

namespace kd::nn {

struct NnxArguments {
  konfig::Args<konfig::Value> positional = {};
  konfig::Kwargs<konfig::Value> other = {};
};

static constexpr const char* kInstead =
    "an NNX module is a Python class, which cannot run here; write it as a C++ module (docs/nn.md, "
    "\"Writing a model\") and name that one in the config";

static Poly<Module> refuse_nnx(const NnxArguments&) {
  throw konfig::Error(konfig::ErrorKind::unsupported, kInstead);
}

}  // namespace kd::nn

KONFIG_FUNCTION("kauldron.kd:contrib.nn.linen_from_nnx", kd::nn::refuse_nnx);
KONFIG_FUNCTION("kauldron.contrib.modules:linen_from_nnx", kd::nn::refuse_nnx);
KONFIG_FUNCTION("kauldron.contrib.modules.knnx_examples:SimpleKdNnxModule", kd::nn::refuse_nnx);
KONFIG_ABSENT("flax.nnx", kd::nn::kInstead);
