// Registers the metrics.
#include "kd/metrics/metrics.h"

void kd::metrics::Accuracy::konfig_post_resolve(const konfig::ConfigDict&) const { check(); }

void kd::metrics::Accuracy::check() const {
  if (logits.has_value() != pred_labels.has_value()) return;
  throw konfig::Error(konfig::ErrorKind::value,
                      logits ? "Accuracy: both logits and pred_labels are set; set one of them"
                             : "Accuracy: neither logits nor pred_labels is set; set one of them");
}

KONFIG_REGISTER(kd::metrics::Accuracy);
KONFIG_REGISTER(kd::metrics::Precision1);
KONFIG_REGISTER(kd::metrics::BinaryAccuracy);
KONFIG_REGISTER(kd::metrics::RocAuc);
KONFIG_REGISTER(kd::metrics::Norm);
KONFIG_REGISTER(kd::metrics::Std);
KONFIG_REGISTER(kd::metrics::SingleDimension);
KONFIG_REGISTER(kd::metrics::Psnr);
KONFIG_REGISTER(kd::metrics::Ssim);
KONFIG_REGISTER(kd::metrics::LpipsVgg);
KONFIG_REGISTER(kd::metrics::Ari);
KONFIG_REGISTER(kd::metrics::TreeMap);
KONFIG_REGISTER(kd::metrics::TreeReduce);
KONFIG_REGISTER(kd::metrics::SkipIfMissing);
KONFIG_REGISTER(kd::metrics::NoopMetric);
