// Registers the further losses, also under the names that they have within `kd`.
#include "kd/losses/contrib.h"
#include "kd/losses/types_impl.h"

#define KD_REGISTER(T)                                                                          \
  KONFIG_RUN(                                                                                   \
      konfig::detail::register_type<kd::losses::contrib::T>("kauldron.kd:contrib.losses." #T)); \
  KONFIG_REGISTER(kd::losses::contrib::T)

KD_REGISTER(WeightedL1);
KD_REGISTER(DiceLoss);
KD_REGISTER(IoULoss);
KD_REGISTER(SigmoidFocalLoss);
KONFIG_RUN(kd::losses::register_as_metrics());
