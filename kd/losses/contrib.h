// Further losses, for segmentation and point tracking. Not as settled as those of losses.h.
#pragma once

#include "kd/losses/common.h"

namespace kd::losses::contrib {

enum class RatioType { constant, dynamic };

// Absolute error of tracked points, with other weights for the background and for hidden points.
struct WeightedL1 {
  Key preds = Key::required();                   // where the model says that points are
  Key targets = Key::required();                 // where they are
  Key visible = Key::required();                 // 1 where a point can be seen
  Key bg_mask = Key::required();                 // 1 in the foreground, 0 in the background
  Required<double> ratio_value;                  // weight of the background
  RatioType ratio_type = RatioType::constant;    // dynamic: foreground / background, 1e-5 at most
  bool use_bg_ratio_for_occluded = false;        // hidden points count as background
  bool mask_occluded = true;                     // hidden points count nothing
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets, Float<"*b"> visible,
                         Float<"*b"> bg_mask) const;
};

// One minus the overlap of a predicted mask with the right one; every pixel holds the value.
struct DiceLoss {
  Key preds = Key::required();                   // log-odds of each pixel, masks last
  Key targets = Key::required();                 // 1 within the mask
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*b h w m"> get_values(Float<"*b h w m"> preds, Array<"*b h w m"> targets) const;
};

// Error of a predicted overlap (intersection over union) of masks.
struct IoULoss {
  Key preds = Key::required();                   // log-odds of each pixel
  Key targets = Key::required();                 // above 0 within the mask
  Key pred_ious = Key::required();               // what the model says the overlap is
  bool use_l1_loss = true;                       // absolute error; squared error otherwise
  bool loss_on_multimask = false;                // no effect: nor has it in Kauldron
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*b m"> get_values(Float<"*b m h w"> preds, Float<"*b m h w"> targets,
                           Float<"*b m"> pred_ious) const;
};

// Binary cross entropy that counts easy elements less. Lin et al., 2017.
struct SigmoidFocalLoss {
  Key preds = Key::required();                   // log-odds of each element
  Key targets = Key::required();                 // 0 or 1
  double alpha = 0.5;                            // weight of the ones; negative: no weights
  double gamma = 2.0;                            // how much less easy elements count
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> preds, Array<"*a"> targets) const;
};

}  // namespace kd::losses::contrib

KONFIG_COMPONENT(kd::Loss, kd::losses::contrib::WeightedL1, "kauldron.contrib.losses:WeightedL1",
                 "kauldron.kd:contrib.losses.WeightedL1");
KONFIG_COMPONENT(kd::Loss, kd::losses::contrib::DiceLoss, "kauldron.contrib.losses:DiceLoss",
                 "kauldron.kd:contrib.losses.DiceLoss");
KONFIG_COMPONENT(kd::Loss, kd::losses::contrib::IoULoss, "kauldron.contrib.losses:IoULoss",
                 "kauldron.kd:contrib.losses.IoULoss");
KONFIG_COMPONENT(kd::Loss, kd::losses::contrib::SigmoidFocalLoss,
                 "kauldron.contrib.losses:SigmoidFocalLoss",
                 "kauldron.kd:contrib.losses.SigmoidFocalLoss");
