// The fused pass.
#include "kd/optim/engine/fusion.h"

#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>

#include "kd/core/parallel.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/zip_impl.h"

namespace kd::optim {

namespace {

constexpr std::int64_t kRun = 512;      // elements that stay in the first-level cache
constexpr std::int64_t kBlock = 16384;  // elements that one thread takes at once

bool is_plain_float(const Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat && tensor.is_cpu() &&
         tensor.is_non_overlapping_and_dense();
}

}  // namespace

Fusion::Fusion(Tree& params, const Tree& grads, MaskMemory& memory)
    : params_(params), memory_(memory) {
  usable_ = take(params, grads);
}

bool Fusion::take(const Tree& params, const Tree& grads) {
  if (params.kind() != grads.kind() || params.size() != grads.size()) return false;
  if (params.is_tensor()) {
    const Tensor& p = params.tensor();
    Tensor g = grads.tensor();
    if (!is_plain_float(p) || g.scalar_type() != at::kFloat || !g.is_cpu()) return false;
    if (p.sizes() != g.sizes()) return false;
    if (p.strides() != g.strides()) {
      g = at::empty_like(p).copy_(g);
      copies_.push_back(g);
    }
    leaves_.push_back({p.mutable_data_ptr<float>(), g.const_data_ptr<float>(), p.numel()});
    return true;
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params.name(i) != grads.name(i) || !take(params.child(i), grads.child(i))) return false;
  }
  return true;
}

// A state follows the parameters, with MaskedNode where a mask took leaves out.
namespace {

bool follow(const Tree& params, Tree& state, std::vector<float*>& out, const bool masked) {
  if (masked || state.type() == "MaskedNode") {
    if (params.is_tensor()) {
      out.push_back(nullptr);
      return true;
    }
    return std::all_of(params.children().begin(), params.children().end(),
                       [&](const Tree& child) { return follow(child, state, out, true); });
  }
  if (params.is_tensor()) {
    if (!state.is_tensor()) return false;
    const Tensor& s = state.tensor();
    const Tensor& p = params.tensor();
    if (!is_plain_float(s) || s.sizes() != p.sizes() || s.strides() != p.strides()) return false;
    out.push_back(s.mutable_data_ptr<float>());
    return true;
  }
  if (state.kind() != params.kind() || state.size() != params.size()) return false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (state.name(i) != params.name(i)) return false;
    if (!follow(params.child(i), state.child(i), out, false)) return false;
  }
  return true;
}

}  // namespace

bool Fusion::collect(Tree& state, std::vector<float*>& out) {
  out.reserve(leaves_.size());
  if (!follow(params_, state, out, false)) return false;
  // A leaf of the current mask without state belongs to another optimizer: the plain way tells.
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i] && leaves_[i].n > 0 && (on_.empty() || on_[i])) return false;
  }
  return true;
}

bool Fusion::add(Stage stage) {
  stage.on = on_;
  stages_.push_back(std::move(stage));
  return true;
}

bool Fusion::add(Stage stage, Tree& s0) { return collect(s0, stage.s0) && add(std::move(stage)); }

bool Fusion::add(Stage stage, Tree& s0, Tree& s1) {
  return collect(s0, stage.s0) && collect(s1, stage.s1) && add(std::move(stage));
}

bool Fusion::global_norm(float& norm) {
  if (!stages_.empty()) return false;
  std::vector<Values> values;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (on_.empty() || on_[i]) values.push_back({leaves_[i].g, leaves_[i].n});
  }
  float total = 0;
  for (float sum : sums_of_squares(values)) total += sum;
  norm = std::sqrt(total);
  return true;
}

bool Fusion::masked(const Key& key, const std::function<Marks()>& marks,
                    const std::function<bool()>& inner) {
  auto it = memory_.find(key);
  if (it == memory_.end() || it->second.size() != leaves_.size()) {
    it = memory_.insert_or_assign(key, flatten(marks(), params_)).first;
  }
  std::vector<bool> outer = on_, both = it->second;
  for (std::size_t i = 0; !outer.empty() && i < both.size(); ++i) both[i] = both[i] && outer[i];
  on_ = std::move(both);
  const bool fused = inner();
  on_ = std::move(outer);
  return fused;
}

void Fusion::count(Tree& counter, std::int32_t value) { counters_.emplace_back(&counter, value); }

namespace {

using kernels::Kernel;

// The loop for a stage and a finish, or nullptr.
Kernel joined(Kernel stage, bool decays) {
  if (stage == kernels::adam) {
    return decays ? kernels::adam_decay_scale_apply : kernels::adam_scale_apply;
  }
  if (stage == kernels::trace) {
    return decays ? kernels::trace_decay_scale_apply : kernels::trace_scale_apply;
  }
  if (stage == kernels::lion) {
    return decays ? kernels::lion_decay_scale_apply : kernels::lion_scale_apply;
  }
  return nullptr;
}

// Adds the updates to the parameters. A scale before that, and a decay before the scale, become one
// loop with it, and with the stage before where there is a loop for that.
void finish(std::vector<Pass>& passes) {
  auto last_is = [&](Kernel kernel) { return !passes.empty() && passes.back().kernel == kernel; };
  if (!last_is(kernels::scale)) {
    passes.push_back({kernels::apply, nullptr, nullptr, nullptr});
    return;
  }
  Pass end{kernels::scale_apply, nullptr, nullptr, nullptr, passes.back().c[0]};
  passes.pop_back();
  const bool decays = last_is(kernels::decay);
  if (decays) {
    end.kernel = kernels::decay_scale_apply;
    end.decay = passes.back().c[0];
    passes.pop_back();
  }
  Kernel both = passes.empty() ? nullptr : joined(passes.back().kernel, decays);
  if (!both) return passes.push_back(end);
  passes.back().kernel = both;
  passes.back().scale = end.scale;
  passes.back().decay = end.decay;
}

}  // namespace

std::vector<Pass> Fusion::passes_of(std::size_t leaf) const {
  std::vector<Pass> passes;
  for (const Stage& stage : stages_) {
    if (!stage.on.empty() && !stage.on[leaf]) continue;
    passes.push_back({stage.kernel, stage.c.data(), stage.s0.empty() ? nullptr : stage.s0[leaf],
                      stage.s1.empty() ? nullptr : stage.s1[leaf]});
  }
  // An average of the parameters at the end is one of what they become.
  std::vector<Pass> averages;
  while (!passes.empty() && passes.back().kernel == kernels::ema_params) {
    averages.insert(averages.begin(), passes.back());
    averages.front().kernel = kernels::average;
    passes.pop_back();
  }
  finish(passes);
  passes.insert(passes.end(), averages.begin(), averages.end());
  return passes;
}

void Fusion::run() {
  struct Block {
    std::size_t leaf;
    std::int64_t begin, end;
  };
  std::vector<Block> blocks;
  std::vector<std::vector<Pass>> passes;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    passes.push_back(passes_of(i));
    for (std::int64_t begin = 0; begin < leaves_[i].n; begin += kBlock) {
      blocks.push_back({i, begin, std::min(begin + kBlock, leaves_[i].n)});
    }
  }
  auto run_block = [&](const Block& block) {
    alignas(64) float u[kRun];
    const Leaf& leaf = leaves_[block.leaf];
    for (std::int64_t begin = block.begin; begin < block.end; begin += kRun) {
      const float* in = leaf.g + begin;
      for (const Pass& pass : passes[block.leaf]) {
        pass.kernel({in, u, leaf.p + begin, pass.s0 ? pass.s0 + begin : nullptr,
                     pass.s1 ? pass.s1 + begin : nullptr, std::min(kRun, block.end - begin),
                     pass.scale, pass.decay},
                    pass.c);
        in = u;
      }
    }
  };
  parallel_for(static_cast<std::int64_t>(blocks.size()), 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (; first < last; ++first) run_block(blocks[static_cast<std::size_t>(first)]);
               });
  for (auto& [tree, value] : counters_) *tree->tensor().mutable_data_ptr<std::int32_t>() = value;
}

bool fuse_inner(const Poly<Optimizer>& optimizer, Tree& state, Fusion& fusion) {
  auto& ops = ops_of(optimizer);
  return ops.fuse && ops.fuse(optimizer.object().get(), state, fusion);
}

}  // namespace kd::optim
