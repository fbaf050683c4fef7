// The kinds of components. A config holds any of a kind through Poly<Kind>; the engine, loaded only
// when it is needed, makes working objects of them.
#pragma once

#include "konfig/component.h"
#include "konfig/fields.h"
#include "konfig/inherit.h"
#include "konfig/map.h"
#include "konfig/poly.h"
#include "kontext/key.h"

namespace kd {

using konfig::inherit;
using konfig::Map;
using konfig::node;
using konfig::Poly;
using konfig::Required;
using kontext::Key;

class Module;            // a model or a layer
class Initializer;       // how the first values of a parameter are made
class Loss;              // what is minimised
class Metric;            // what is measured
using Summary = Metric;  // what is shown, images or texts, is a metric that gives no number
class Optimizer;         // a gradient transformation
class ScheduleFn;        // a number that depends on the step
class Pipeline;          // a dataset
class Transform;         // one step of a pipeline
class Evaluator;         // what is evaluated
class RunStrategy;       // when and where an evaluator runs
class Checkpoints;       // how state is saved
class InitTransform;     // how state is initialised from elsewhere
class TrainStepFn;       // one step of training

}  // namespace kd

KONFIG_ALSO_INTERFACE(kd::Loss, kd::Metric);  // a loss may stand where a metric is wanted
