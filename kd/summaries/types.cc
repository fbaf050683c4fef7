// Registers the summaries.
#include "kd/summaries/summaries.h"

KONFIG_REGISTER(kd::summaries::ShowImages);
KONFIG_REGISTER(kd::summaries::ShowBoxes);
KONFIG_REGISTER(kd::summaries::ShowSegmentations);
KONFIG_REGISTER(kd::summaries::ShowDifferenceImages);
KONFIG_REGISTER(kd::summaries::HistogramSummary);
KONFIG_REGISTER(kd::summaries::ShowPointCloud);
KONFIG_REGISTER(kd::summaries::ShowTexts);
