// Registers the further summaries.
#include "kd/also_named_impl.h"
#include "kd/summaries/contrib.h"

#include "konfig/error.h"

void kd::summaries::contrib::ConfusionMatrix::konfig_post_resolve(const konfig::ConfigDict&) const {
  if (!normalize || *normalize == "true" || *normalize == "pred" || *normalize == "all") return;
  throw konfig::Error(konfig::ErrorKind::value, "ConfusionMatrix.normalize is '" + *normalize +
                                                    "'; it is 'true', 'pred', 'all' or None");
}

KONFIG_REGISTER(kd::summaries::contrib::ImageGrid);
KONFIG_REGISTER(kd::summaries::contrib::ConfusionMatrix);
KONFIG_REGISTER(kd::summaries::contrib::Print);
KONFIG_REGISTER(kd::summaries::contrib::ShowVideosAsGif);
KONFIG_RUN(kd::contrib_named("summaries",
                             {"ImageGrid", "ConfusionMatrix", "Print", "ShowVideosAsGif"}));
