// The fused pass.
#include "kd/optim/fusion_impl.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kd/optim/math_impl.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/zip_impl.h"

namespace kd::optim {

namespace {

constexpr std::int64_t kRun = 2048;     // elements that stay in the first-level cache
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
    if (!out[i] && (on_.empty() || on_[i])) return false;
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

void Fusion::run_block(const Leaf& leaf, std::size_t i, std::int64_t begin,
                       std::int64_t end) const {
  alignas(64) float u[kRun];
  for (; begin < end; begin += kRun) {
    const std::int64_t n = std::min(kRun, end - begin);
    std::memcpy(u, leaf.g + begin, static_cast<std::size_t>(n) * sizeof(float));
    for (const Stage& stage : stages_) {
      if (!stage.on.empty() && !stage.on[i]) continue;
      float* s0 = stage.s0.empty() ? nullptr : stage.s0[i] + begin;
      float* s1 = stage.s1.empty() ? nullptr : stage.s1[i] + begin;
      stage.kernel({u, leaf.p + begin, s0, s1, n}, stage.c.data());
    }
    kernels::apply({u, leaf.p + begin, nullptr, nullptr, n}, nullptr);
  }
}

void Fusion::run() {
  struct Block {
    std::size_t leaf;
    std::int64_t begin, end;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    for (std::int64_t begin = 0; begin < leaves_[i].n; begin += kBlock) {
      blocks.push_back({i, begin, std::min(begin + kBlock, leaves_[i].n)});
    }
  }
  at::parallel_for(0, static_cast<std::int64_t>(blocks.size()), 1,
                   [&](std::int64_t first, std::int64_t last) {
                     for (; first < last; ++first) {
                       const Block& block = blocks[static_cast<std::size_t>(first)];
                       run_block(leaves_[block.leaf], block.leaf, block.begin, block.end);
                     }
                   });
  for (auto& [tree, value] : counters_) *tree->tensor().mutable_data_ptr<std::int32_t>() = value;
}

bool fuse_inner(const Poly<Optimizer>& optimizer, Tree& state, Fusion& fusion) {
  auto& ops = ops_of(optimizer);
  return ops.fuse && ops.fuse(optimizer.object().get(), state, fusion);
}

}  // namespace kd::optim
