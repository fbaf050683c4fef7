// What is said where a transform is completed in Python.
#include "kd/data/transforms/transforms_absent.h"

#include "kd/core/tree.h"
#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data::contrib {

namespace {

[[noreturn]] void refuse(const std::string& instead) {
  throw Error(ErrorKind::unsupported,
              "a base class, which a Python class completes; " + instead +
                  ", or write a transform of your own (kd/data/engine/transform.h)");
}

}  // namespace

void CreateMask::check() const {
  refuse("use CreateRangeMask, CreateNonEqualMask or CreateMeshGridMask");
}
void ElementWiseTransformWithPredicate::check() const {
  refuse("use FlipUpsideDown, ValueRange or Resize, with matching_keys(strs=[...])");
}
void ElementWiseRandomTransformWithPredicate::check() const {
  refuse("use a random transform with key=[...]");
}
void RandomMapTransform::check() const { refuse("use one of kd.data.py or kd.contrib.data"); }

Tree Absent::map(Tree record) const { return record; }

}  // namespace kd::data::contrib
