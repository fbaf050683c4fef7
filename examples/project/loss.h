// The loss: a value for each example, small where the model is right.
#pragma once

#include "kd/model.h"

namespace my_project {

// Cross entropy that looks less at examples that are right already. Lin et al., 2017.
struct Focal {
  kd::Key logits = kd::Key::required();  // what the model says
  kd::Key labels = kd::Key::required();  // the right class
  double gamma = 2;                      // 0: plain cross entropy
  kd::Schedule weight = 1.0;             // factor of the loss in the total

  kd::Float<"*b"> get_values(kd::Float<"*b n"> logits, kd::Int<"*b 1"> labels) const {
    const at::Tensor log_p =
        kd::nn::log_softmax(logits).gather(-1, labels.to(at::kLong)).squeeze(-1);
    return -(1 - log_p.exp()).pow(gamma) * log_p;
  }
};

}  // namespace my_project

KD_COMPONENT(kd::Loss, my_project::Focal);
