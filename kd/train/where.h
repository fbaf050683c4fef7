// Where an evaluator runs.
#pragma once

namespace kd::train {

enum class Where {
  in_training,       // in the training, before some of its steps
  at_the_end,        // in the training, once after the last step
  every_checkpoint,  // in a job of its own, on each checkpoint
  last_checkpoint,   // in a job of its own, on the last one
};

}  // namespace kd::train
