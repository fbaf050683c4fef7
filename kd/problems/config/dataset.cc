// TFDSWrapper as a pipeline.
#include "kd/problems/lower_impl.h"
#include "kd/problems/passes.h"
#include "kd/problems/tfds_wrapper.h"
#include "kd/problems/values_impl.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

Poly<Pipeline> TFDSWrapper::pipeline() const {
  check_size(*cfg.input_size, "input_size");
  if (*cfg.batch_size < 1) {
    throw Error(ErrorKind::value, "batch_size",
                "expected a whole number above 0, got " + std::to_string(*cfg.batch_size));
  }
  Passes out{.name = *cfg.dataset_name,
             .split = *cfg.split,
             .cache = cfg.cache,
             .shuffle = cfg.shuffle,
             .repeat = cfg.repeat,
             .batch_size = *cfg.batch_size,
             .size = *cfg.input_size,
             .dtype = dtype_of(cfg.dtype, "dtype")};
  if (cfg.nb_samples && *cfg.nb_samples < -1) {
    throw Error(
        ErrorKind::value, "nb_samples",
        "expected a number of samples, or -1 for all, got " + std::to_string(*cfg.nb_samples));
  }
  if (cfg.nb_samples && *cfg.nb_samples > 0) out.take = *cfg.nb_samples;
  out.elements = {"image"};
  if (cfg.include_label) out.elements.push_back("label");
  return out;
}

}  // namespace kd::problems
