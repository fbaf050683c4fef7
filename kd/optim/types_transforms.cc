// Registers the transformations that optimizers are chained from.
#include "kd/optim/scale.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/transforms.h"
#include "konfig/error.h"

namespace kd::optim {

void ScaleByLion::konfig_post_resolve(const konfig::ConfigDict&) {
  if (mode == "hard" || mode == "smooth" || mode == "refined") return;
  throw konfig::Error(konfig::ErrorKind::value, "mode",
                      "expected \"hard\", \"smooth\" or \"refined\", got \"" + mode + "\"");
}

}  // namespace kd::optim

KONFIG_REGISTER(kd::optim::ScaleByAdam);
KONFIG_REGISTER(kd::optim::ScaleByAdamax);
KONFIG_REGISTER(kd::optim::ScaleByAmsgrad);
KONFIG_REGISTER(kd::optim::ScaleByRAdam);
KONFIG_REGISTER(kd::optim::ScaleByBelief);
KONFIG_REGISTER(kd::optim::ScaleByAdan);
KONFIG_REGISTER(kd::optim::ScaleByYogi);
KONFIG_REGISTER(kd::optim::ScaleByLion);
KONFIG_REGISTER(kd::optim::ScaleByNovograd);
KONFIG_REGISTER(kd::optim::ScaleByRss);
KONFIG_REGISTER(kd::optim::ScaleByRms);
KONFIG_REGISTER(kd::optim::ScaleByStddev);
KONFIG_REGISTER(kd::optim::Scale);
KONFIG_REGISTER(kd::optim::ScaleBySchedule);
KONFIG_REGISTER(kd::optim::ScaleByLearningRate);
KONFIG_REGISTER(kd::optim::ScaleBySign);
KONFIG_REGISTER(kd::optim::ScaleByTrustRatio);
KONFIG_REGISTER(kd::optim::ScaleByParamBlockNorm);
KONFIG_REGISTER(kd::optim::ScaleByParamBlockRms);
KONFIG_REGISTER(kd::optim::ScaleByAdadelta);
KONFIG_REGISTER(kd::optim::ScaleByRprop);
KONFIG_REGISTER(kd::optim::ScaleByOptimisticGradient);
KONFIG_REGISTER(kd::optim::ScaleBySm3);
KONFIG_REGISTER(kd::optim::ScaleByFactoredRms);
KONFIG_REGISTER(kd::optim::Identity);
KONFIG_REGISTER(kd::optim::SetToZero);
KONFIG_REGISTER(kd::optim::Clip);
KONFIG_REGISTER(kd::optim::ClipByGlobalNorm);
KONFIG_REGISTER(kd::optim::ClipByBlockRms);
KONFIG_REGISTER(kd::optim::AdaptiveGradClip);
KONFIG_REGISTER(kd::optim::NormalizeByUpdateNorm);
KONFIG_REGISTER(kd::optim::Trace);
KONFIG_REGISTER(kd::optim::Ema);
KONFIG_REGISTER(kd::optim::ApplyEvery);
KONFIG_REGISTER(kd::optim::AddDecayedWeights);
KONFIG_REGISTER(kd::optim::AddNoise);
KONFIG_REGISTER(kd::optim::DecayToInit);
KONFIG_REGISTER(kd::optim::ZeroNans);
KONFIG_REGISTER(kd::optim::Centralize);
KONFIG_REGISTER(kd::optim::KeepParamsNonnegative);
KONFIG_REGISTER(kd::optim::EmaParams);
