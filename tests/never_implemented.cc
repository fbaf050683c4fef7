// A component whose header declares what its source never defines: tests/CMakeLists.txt wants the
// linker to refuse it, as it refuses one of ours.
#include "kd/losses/engine/loss.h"

namespace never_implemented {

struct Missing {
  kd::Key preds = kd::Key::required();
  kd::Float<"*a"> get_values(kd::Float<"*a"> preds) const;
};

}  // namespace never_implemented

KD_COMPONENT(kd::Loss, never_implemented::Missing);
