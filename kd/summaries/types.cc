// Checks of the summaries' fields.
#include "kd/summaries/contrib.h"

#include "konfig/error.h"

void kd::summaries::contrib::ConfusionMatrix::konfig_post_resolve(const konfig::ConfigDict&) const {
  if (!normalize || *normalize == "true" || *normalize == "pred" || *normalize == "all") return;
  throw konfig::Error(konfig::ErrorKind::value, "ConfusionMatrix.normalize is '" + *normalize +
                                                    "'; it is 'true', 'pred', 'all' or None");
}
