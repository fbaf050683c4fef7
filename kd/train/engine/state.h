// TrainState: what training changes.
//
//   Tree saved = to_tree(state);                    // step, params, collections, opt_state
//   state = restored(state, saved);                 // the same structure with other values
#pragma once

#include <cstdint>
#include <string>

#include "kd/core/tree.h"

namespace kd::train {

struct TrainState {
  std::int64_t step = 0;            // updates so far
  Tree params;                      // what the optimizer changes
  Tree collections = Tree::dict();  // what calls of the model change: running means and the like
  Tree opt_state = {};              // None: there is no optimizer, or its state was dropped
  Tree step_state = {};             // what a step of one's own keeps; None: nothing
};

// Trees share their tensors: this copies none.
Tree to_tree(const TrainState& state);
TrainState from_tree(const Tree& tree);

// The values of `values` in the structure of `state`. An Error lists paths that only one of them
// has, and names the first whose shape or dtype differs. A state without opt_state ignores the
// other's.
TrainState restored(const TrainState& state, const Tree& values);
// The same of a checkpoint; an Error names the place where it is.
TrainState restored_from(const std::string& checkpoint, const TrainState& state,
                         const Tree& values);

}  // namespace kd::train
