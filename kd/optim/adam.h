// Optimizers with moments of the gradient: Adam and its relatives.
#pragma once

#include <optional>

#include "kd/core/dtype.h"
#include "kd/optim/masks.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

// Adam: adaptive moments. Kingma & Ba, 2014.
struct Adam {
  Required<Schedule> learning_rate;    // constant or schedule
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  bool nesterov = false;               // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// Adam with weight decay that bypasses the moments. Loshchilov & Hutter, 2019.
struct AdamW {
  Required<Schedule> learning_rate;    // constant or schedule
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  Schedule weight_decay = 1e-4;        // multiplied by the learning rate, too
  Mask mask = {};                      // the leaves that decay; None: all
  bool nesterov = false;               // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// Adam that looks ahead. Dozat, 2016.
struct NAdam {
  Required<Schedule> learning_rate;    // constant or schedule
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  bool nesterov = true;                // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// AdamW that looks ahead.
struct NAdamW {
  Required<Schedule> learning_rate;    // constant or schedule
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  Schedule weight_decay = 1e-4;        // multiplied by the learning rate, too
  Mask mask = {};                      // the leaves that decay; None: all
  bool nesterov = true;                // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// Adam with the largest gradient so far in place of the second moment. Kingma & Ba, 2014.
struct Adamax {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.999;                 // decay of the largest gradient
  double eps = 1e-8;                 // added to the gradient's size
  Poly<Optimizer> expand() const;
};

// Adamax with weight decay.
struct AdamaxW {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.999;                 // decay of the largest gradient
  double eps = 1e-8;                 // added to the gradient's size
  Schedule weight_decay = 1e-4;      // multiplied by the learning rate, too
  Mask mask = {};                    // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
};

// Adam whose second moment never shrinks. Reddi et al., 2018.
struct Amsgrad {
  Required<Schedule> learning_rate;    // constant or schedule
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  bool bias_correction_mu = true;      // corrects the first moment for its start at 0
  bool bias_correction_nu = true;      // corrects the second moment for its start at 0
  Poly<Optimizer> expand() const;
};

// Adam that trusts the second moment only when it is known well. Liu et al., 2020.
struct RAdam {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.999;                 // decay of the second moment
  double eps = 1e-8;                 // added to the denominator
  double eps_root = 0.0;             // added below the root
  double threshold = 5.0;            // of the length of the moving average
  bool nesterov = false;             // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// Adam that divides by how far gradients are from their mean. Zhuang et al., 2020.
struct AdaBelief {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.999;                 // decay of the second moment
  double eps = 1e-16;                // added to the denominator
  double eps_root = 1e-16;           // added to the second moment
  bool nesterov = false;             // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// Adam with gradient differences as a third moment. Xie et al., 2022.
struct Adan {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.98;                  // decay of the first moment
  double b2 = 0.92;                  // decay of the gradient differences
  double b3 = 0.99;                  // decay of the squares
  double eps = 1e-8;                 // added to the denominator
  double eps_root = 1e-8;            // added below the root
  Schedule weight_decay = 0.0;       // multiplied by the learning rate, too
  Mask mask = {};                    // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
};

// Adam whose second moment changes by addition. Zaheer et al., 2018.
struct Yogi {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.999;                 // decay of the second moment
  double eps = 1e-3;                 // added to the denominator
  Poly<Optimizer> expand() const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adam, "optax:adam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::AdamW, "optax:adamw");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::NAdam, "optax:nadam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::NAdamW, "optax:nadamw");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adamax, "optax:adamax");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::AdamaxW, "optax:adamaxw");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Amsgrad, "optax:amsgrad");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::RAdam, "optax:radam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::AdaBelief, "optax:adabelief");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adan, "optax:adan");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Yogi, "optax:yogi");
