// RNN: a recurrent cell over a sequence.
#include "kd/nn/recurrent/rnn.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include "base/shape_text.h"
#include "kd/core/ops.h"
#include "kd/nn/engine/rnn_cell.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/run_impl.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

using detail::fail;
using kontext::TreeRef;

// Steps of a loop are not recorded one by one.
class NotRecording {
 public:
  NotRecording() : run_(detail::current_run()), before_(run_.capture) { run_.capture = false; }
  ~NotRecording() { run_.capture = before_; }
  NotRecording(const NotRecording&) = delete;
  NotRecording& operator=(const NotRecording&) = delete;

 private:
  detail::Run& run_;
  bool before_;
};

// The steps of each sequence in the other direction; those beyond its length stay behind it.
Tensor flipped(const Tensor& x, const std::optional<Tensor>& lengths, std::int64_t time) {
  if (!lengths) return x.flip({time});
  std::int64_t steps = x.size(time);
  Tensor back = at::arange(steps - 1, -1, -1, x.options().dtype(at::kLong));
  std::vector<std::int64_t> shape(static_cast<std::size_t>(lengths->dim() + 1), 1);
  shape[static_cast<std::size_t>(time)] = steps;
  Tensor index = (back.view(shape) + lengths->to(at::kLong).unsqueeze(time)).remainder(steps);
  while (index.dim() < x.dim()) index = index.unsqueeze(-1);
  return at::gather(x, time, index.expand_as(x));
}

// The state after the last step that counts: of all states, (time, batch, ...).
Tree last_states(const std::vector<Tree>& states, const Tensor& lengths) {
  std::vector<std::vector<Tensor>> parts;
  for (const Tree& state : states) parts.push_back(leaves(state));
  std::vector<Tensor> chosen;
  for (std::size_t i = 0; i < parts[0].size(); ++i) {
    std::vector<Tensor> over_time;
    for (auto& part : parts) over_time.push_back(part[i]);
    Tensor all = at::stack(over_time, 0);
    Tensor row = at::arange(all.size(1), lengths.options().dtype(at::kLong));
    chosen.push_back(at::index(all, {lengths.to(at::kLong) - 1, row}));
  }
  return unflatten(states[0], chosen);
}

TreeRef part(const Out& out, std::int64_t i) {
  TreeRef found = out.tree() ? out.tree().child(kontext::Part(i)) : TreeRef();
  if (!found) fail("a cell gives (state, output), this one gives something else");
  return found;
}

}  // namespace

Out RNN::call(const Tensor& inputs, const TreeRef& initial_carry,
              const std::optional<random::Key>& init_key, const std::optional<Tensor>& seq_lengths,
              const std::optional<bool>& with_carry, const std::optional<bool>& time_first,
              const std::optional<bool>& backwards, const std::optional<bool>& ordered) const {
  bool gives_carry = with_carry.value_or(return_carry), first = time_first.value_or(time_major),
       back = backwards.value_or(reverse), in_order = ordered.value_or(keep_order);
  auto& ops =
      *static_cast<const RnnCellOps*>(kd::detail::find_ops(konfig::type_name<RnnCell>, cell));
  const void* object = cell.object().get();
  std::int64_t features = ops.num_feature_axes(object);
  if (inputs.dim() < features + 1) {
    fail("the input " + base::tuple_text(inputs.sizes()) + " needs a dimension of time and " +
         std::to_string(features) + " of features");
  }
  std::int64_t time = first ? 0 : inputs.dim() - (features + 1);
  Tensor x = back ? flipped(inputs, seq_lengths, time) : inputs;

  TreeRef carry = initial_carry;
  if (!carry || carry.shape() == kontext::Shape::none) {
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.erase(shape.begin() + time);
    carry = ops.initialize_carry(object, init_key ? *init_key : random::key(0), shape);
  }
  bool keep_states = seq_lengths && gives_carry;
  std::vector<Tensor> outputs;
  std::vector<Tree> states;
  std::int64_t steps = x.size(time);
  {
    NotRecording guard;
    // A sequence without steps still has parameters and the shape of an output.
    for (std::int64_t t = 0; t < std::max<std::int64_t>(steps, 1); ++t) {
      Tensor input = steps > 0 ? x.select(time, t) : at::zeros_like(x.sum(time));
      Out step = call_module(cell, arguments(carry, input));
      if (steps > 0) carry = part(step, 0);
      outputs.push_back(part(step, 1).to<Tensor>());
      if (keep_states) states.push_back(carry.to<Tree>());
    }
  }
  Tensor out = at::stack(outputs, time).narrow(time, 0, steps);
  if (back && in_order) out = flipped(out, seq_lengths, time);
  if (!gives_carry) return Out(TreeRef::own(out));
  if (keep_states) carry = TreeRef::own(last_states(states, *seq_lengths));
  return Out(TreeRef::own(std::pair(carry, out)));
}

Out Bidirectional::call(const Tensor& inputs, const TreeRef& initial_carry,
                        const std::optional<random::Key>& init_key,
                        const std::optional<Tensor>& seq_lengths,
                        const std::optional<bool>& with_carry,
                        const std::optional<bool>& time_first) const {
  std::array<std::optional<random::Key>, 2> keys;
  if (init_key) {
    auto split = random::split<2>(*init_key);
    keys = {split[0], split[1]};
  }
  auto run = [&](const Poly<kd::Module>& rnn, int i) {
    Arguments args{.positional = {TreeRef::own(inputs)}};
    if (initial_carry) args.keywords.emplace_back("initial_carry", initial_carry.child(i));
    auto& key = keys[static_cast<std::size_t>(i)];
    if (key) args.keywords.emplace_back("init_key", TreeRef::own(*key));
    if (seq_lengths) args.keywords.emplace_back("seq_lengths", TreeRef::own(*seq_lengths));
    args.keywords.emplace_back("return_carry", TreeRef::own(true));
    args.keywords.emplace_back("time_major", TreeRef::own(time_first.value_or(time_major)));
    args.keywords.emplace_back("reverse", TreeRef::own(i == 1));
    if (i == 1) args.keywords.emplace_back("keep_order", TreeRef::own(true));
    return call_module(rnn, args);
  };
  Out forward = run(forward_rnn, 0), backward = run(backward_rnn, 1);
  Tensor out = at::cat({part(forward, 1).to<Tensor>(), part(backward, 1).to<Tensor>()}, -1);
  if (!with_carry.value_or(return_carry)) return Out(TreeRef::own(out));
  return Out(TreeRef::own(std::pair(std::pair(part(forward, 0), part(backward, 0)), out)));
}

}  // namespace kd::nn
