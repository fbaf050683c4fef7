// Further metrics, of classifiers, regression, depth and images. Not as settled as those of
// metrics.h.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::metrics {
struct AverageState;
}

namespace kd::metrics::contrib {

struct AveragePrecisionState;
struct RmseState;

// Fraction of examples that two classifiers both get right.
struct JointAccuracy {
  Key logits_a = Key::required();  // of the first classifier, classes last
  Key labels_a = Key::required();  // class of each example, with a last axis of 1
  Key logits_b = Key::required();  // of the second classifier
  Key labels_b = Key::required();  // its class of each example
  std::optional<Key> mask = {};    // weights of the examples; all 1 when absent
  AverageState get_state(Float<"*b n"> logits_a, Int<"*b 1"> labels_a, Float<"*b m"> logits_b,
                         Int<"*b 1"> labels_b, std::optional<Array<"*b 1">> mask) const;
};

// Area under the curve of precision and recall of each class, over all batches together; then their
// mean.
struct MultilabelAveragePrecision {
  Key scores = Key::required();  // larger: more likely
  Key labels = Key::required();  // 0 or 1 for each class
  AveragePrecisionState get_state(Float<"b n"> scores, Int<"b n"> labels) const;
};

// How squared errors become one number.
enum class RmseMode {
  trad,             // root of the mean over examples of their summed squared errors
  average_all,      // root of the mean over all values
  per_sample_sqrt,  // mean over examples of the root of their summed squared errors
};

// Root of the mean squared error.
struct RootMeanSquaredError {
  Key preds = Key::required();          // what the model says
  Key targets = Key::required();        // what it should say
  RmseMode rmse_mode = RmseMode::trad;  // what the mean is over
  RmseState get_state(Float<"b *d"> preds, Float<"b *d"> targets) const;
};

// Cosine of the angle between vectors along the last axis.
struct CosineSimilarity {
  Key pred = Key::required();    // what the model says
  Key target = Key::required();  // what it should say
  std::optional<Key> mask = {};  // weights of the vectors, last axis 1; all 1 when absent
  double eps = 1e-6;             // added to the product of the lengths
  AverageState get_state(Float<"*b n d"> pred, Float<"*b n d"> target,
                         std::optional<Array<"*b n 1">> mask) const;
};

// Mean of |error| / target, for depths.
struct MeanAbsoluteRelativeError {
  Key preds = Key::required();    // what the model says
  Key targets = Key::required();  // what it should say
  std::optional<Key> mask = {};   // weights of the elements; all 1 when absent
  double epsilon = 1e-6;          // added to the target
  AverageState get_state(Float<"*a"> preds, Float<"*a"> targets,
                         std::optional<Array<"*a">> mask) const;
};

// Fraction of depths that are off by less than a factor.
struct Delta1 {
  Key preds = Key::required();    // what the model says; negative counts as 0
  Key targets = Key::required();  // what it should say
  std::optional<Key> mask = {};   // weights of the elements; all 1 when absent
  double threshold = 1.25;        // the factor
  double epsilon = 1e-6;          // added to the smaller of both
  bool denormalize = false;       // values are (depth - mean) / std
  double depth_mean = 0.0;        // for denormalize
  double depth_std = 1.0;         // for denormalize
  AverageState get_state(Float<"*a"> preds, Float<"*a"> targets,
                         std::optional<Array<"*a">> mask) const;
};

// Psnr of predictions that are first made as large as the target.
struct PsnrWithResize {
  Key pred = Key::required();                        // what the model says, of any size
  Key target = Key::required();                      // what it should say
  std::optional<Key> mask = {};                      // weights of the images, last axis 1
  std::pair<double, double> in_vrange = {0.0, 1.0};  // range of the values
  std::optional<double> clip = {};                   // upper limit of each ratio
  AverageState get_state(Float<"*b h_p w_p c"> pred, Float<"*b h_t w_t c"> target,
                         std::optional<Array<"*b 1">> mask) const;
};

// Frechet inception distance to stored statistics. Heusel et al., 2017. It needs the weights of an
// Inception network, which are not part of this library.
struct FidWithStats {
  Key pred = Key::required();                        // images of the model
  konfig::Value reference_stats_loader = {};         // gives mean and covariance of the others
  std::optional<Key> mask = {};                      // not supported
  std::pair<double, double> in_vrange = {0.0, 1.0};  // range of the values
  std::optional<std::string> cns_dump_file = {};     // where the features are written
  AverageState get_state(Float<"*b h w c"> pred, std::optional<Array<"*b 1">> mask) const;
};

}  // namespace kd::metrics::contrib

KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::JointAccuracy,
                 "kauldron.contrib.metrics:JointAccuracy",
                 "kauldron.kd:contrib.metrics.JointAccuracy");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::MultilabelAveragePrecision,
                 "kauldron.contrib.metrics:MultilabelAveragePrecision",
                 "kauldron.kd:contrib.metrics.MultilabelAveragePrecision");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::RootMeanSquaredError,
                 "kauldron.contrib.metrics:RootMeanSquaredError",
                 "kauldron.kd:contrib.metrics.RootMeanSquaredError");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::CosineSimilarity,
                 "kauldron.contrib.metrics:CosineSimilarity",
                 "kauldron.kd:contrib.metrics.CosineSimilarity");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::MeanAbsoluteRelativeError,
                 "kauldron.contrib.metrics:MeanAbsoluteRelativeError",
                 "kauldron.kd:contrib.metrics.MeanAbsoluteRelativeError");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::Delta1, "kauldron.contrib.metrics:Delta1",
                 "kauldron.kd:contrib.metrics.Delta1");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::PsnrWithResize,
                 "kauldron.contrib.metrics:PsnrWithResize",
                 "kauldron.kd:contrib.metrics.PsnrWithResize");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::FidWithStats,
                 "kauldron.contrib.metrics:FidWithStats",
                 "kauldron.kd:contrib.metrics.FidWithStats");
