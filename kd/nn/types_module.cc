// The hook by which a running call learns that a module object died.
#include "kd/nn/frame.h"

namespace kd::nn::detail {

constinit thread_local OnDestroy on_destroy = nullptr;
constinit thread_local bool listing_calls = false;

}  // namespace kd::nn::detail
