// Registers the further metrics, also under the names that they have within `kd`.
#include "kd/metrics/contrib.h"
#include "kd/metrics/contrib_geometry.h"
#include "kd/metrics/contrib_video.h"

#define KD_REGISTER(T)                                                                            \
  KONFIG_RUN(                                                                                     \
      konfig::detail::register_type<kd::metrics::contrib::T>("kauldron.kd:contrib.metrics." #T)); \
  KONFIG_REGISTER(kd::metrics::contrib::T)

KD_REGISTER(JointAccuracy);
KD_REGISTER(MultilabelAveragePrecision);
KD_REGISTER(RootMeanSquaredError);
KD_REGISTER(CosineSimilarity);
KD_REGISTER(MeanAbsoluteRelativeError);
KD_REGISTER(Delta1);
KD_REGISTER(PsnrWithResize);
KD_REGISTER(FidWithStats);
KD_REGISTER(TapOcclusionAccuracy);
KD_REGISTER(TapPositionAccuracy);
KD_REGISTER(TapAverageJaccard);
KD_REGISTER(RelativeRotationError);
KD_REGISTER(RelativeTranslationError);
KD_REGISTER(PoseEndPointError);
KD_REGISTER(PoseMeanAverageAccuracy);
KD_REGISTER(RGBMeanAbsoluteRelativeError);
KD_REGISTER(Tap3DPositionAccuracy);
KD_REGISTER(Tap3DAverageJaccard);
KD_REGISTER(SegmentationJaccard);
