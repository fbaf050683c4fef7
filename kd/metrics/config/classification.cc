// Checks of the metrics' fields.
#include "kd/metrics/classification.h"

void kd::metrics::Accuracy::konfig_post_resolve(const konfig::ConfigDict&) const { check(); }

void kd::metrics::Accuracy::check() const {
  if (logits.has_value() != pred_labels.has_value()) return;
  throw konfig::Error(konfig::ErrorKind::value,
                      logits ? "Accuracy: both logits and pred_labels are set; set one of them"
                             : "Accuracy: neither logits nor pred_labels is set; set one of them");
}
