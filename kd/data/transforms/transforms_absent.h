// Classes of the reference's contrib that are completed in Python. Their configs load, print and
// change as all others; a pipeline with one of them says what to use instead.
#pragma once

#include "kd/data/transforms/transforms.h"
#include "konfig/fields.h"

namespace kd::data::contrib {

// No pipeline is made of them: the check of each refuses it.
struct Absent {
  Tree map(Tree record) const;
};

// A mask by a condition. Not here: see CreateRangeMask, CreateNonEqualMask, CreateMeshGridMask.
struct CreateMask : Absent {
  konfig::Kwargs<konfig::Value> other = {};  // all that the reference knows

  void check() const;
};

// A change of chosen elements. Not here: see FlipUpsideDown, ValueRange and Resize.
struct ElementWiseTransformWithPredicate : Absent {
  konfig::Kwargs<konfig::Value> other = {};  // all that the reference knows

  void check() const;
};

// A random change of chosen elements. Not here.
struct ElementWiseRandomTransformWithPredicate : Absent {
  konfig::Kwargs<konfig::Value> other = {};  // all that the reference knows

  void check() const;
};

// A random change of records. Not here.
struct RandomMapTransform : Absent {
  konfig::Kwargs<konfig::Value> other = {};  // all that the reference knows

  void check() const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::CreateMask, "kauldron.contrib.data:CreateMask",
                 "kauldron.kd:contrib.data.CreateMask");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ElementWiseTransformWithPredicate,
                 "kauldron.contrib.data:ElementWiseTransformWithPredicate",
                 "kauldron.kd:contrib.data.ElementWiseTransformWithPredicate");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ElementWiseRandomTransformWithPredicate,
                 "kauldron.contrib.data:ElementWiseRandomTransformWithPredicate",
                 "kauldron.kd:contrib.data.ElementWiseRandomTransformWithPredicate");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandomMapTransform,
                 "kauldron.contrib.data:RandomMapTransform",
                 "kauldron.kd:contrib.data.RandomMapTransform");
