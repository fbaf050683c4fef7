// RNN: a recurrent cell over a sequence.
//
//   Tensor y = nn::RNN{.cell = nn::GRUCell{.features = 32}}(x);   // (batch, time, features)
#pragma once

#include <optional>

#include "kd/nn/module/no_tensor.h"
#include "kd/nn/recurrent/recurrent.h"

namespace kd::nn {

// Calls a cell for each step of (batch..., time, features) and gives the outputs of all steps. What
// the cell computes on the way is not kept among the intermediates.
struct RNN : Module<RNN> {
  Poly<kd::Module> cell = {};      // GRUCell, LSTMCell, ...
  bool time_major = false;         // inputs are (time, batch..., features)
  bool return_carry = false;       // gives (last state, outputs)
  bool reverse = false;            // begins with the last step
  bool keep_order = false;         // outputs stand as the inputs, even if reversed
  int unroll = 1;                  // no effect: steps are not compiled
  Unused variable_axes = {};       // None only
  Unused variable_broadcast = {};  // None only
  Unused variable_carry = {};      // None only
  Unused split_rngs = {};          // None only

  // `seq_lengths` (batch): how many steps of each sequence count for the last state and the order.
  static constexpr std::string_view call_names[] = {"inputs",      "initial_carry", "init_key",
                                                    "seq_lengths", "return_carry",  "time_major",
                                                    "reverse",     "keep_order"};
  Out call(const Tensor& inputs, const kontext::TreeRef& initial_carry = {},
           const std::optional<random::Key>& init_key = {},
           const std::optional<Tensor>& seq_lengths = no_tensor(),
           const std::optional<bool>& return_carry = {}, const std::optional<bool>& time_major = {},
           const std::optional<bool>& reverse = {},
           const std::optional<bool>& keep_order = {}) const;
};

// Two RNNs, of which the second begins with the last step; their outputs side by side.
struct Bidirectional : Module<Bidirectional> {
  Poly<kd::Module> forward_rnn = {};   // from the first step on
  Poly<kd::Module> backward_rnn = {};  // from the last step on
  Unused merge_fn = {};                // None only: one behind the other
  bool time_major = false;             // inputs are (time, batch..., features)
  bool return_carry = false;           // gives (last states, outputs)

  static constexpr std::string_view call_names[] = {"inputs",      "initial_carry", "init_key",
                                                    "seq_lengths", "return_carry",  "time_major"};
  Out call(const Tensor& inputs, const kontext::TreeRef& initial_carry = {},
           const std::optional<random::Key>& init_key = {},
           const std::optional<Tensor>& seq_lengths = no_tensor(),
           const std::optional<bool>& return_carry = {},
           const std::optional<bool>& time_major = {}) const;
};

}  // namespace kd::nn

KONFIG_COMPONENT(kd::Module, kd::nn::RNN, "flax.linen:RNN");
KONFIG_COMPONENT(kd::Module, kd::nn::Bidirectional, "flax.linen:Bidirectional");
