// States of any type: merging checks that they belong together.
#include "kd/metrics/engine/state.h"

#include <ATen/ops/full.h>

#include "kd/metrics/engine/place.h"
#include "konfig/compare.h"
#include "konfig/print.h"
#include "konfig/register.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

bool same_metric(const Poly<Metric>& a, const Poly<Metric>& b) {
  if (a.same(b)) return true;
  return a.type()->is(*b.type()) &&
         konfig::detail::equal(*a.type(), a.object().get(), b.object().get());
}

// "Norm(tensor='a')"
std::string spoken(const Poly<Metric>& metric) {
  constexpr std::size_t kMost = 200;
  return konfig::shorten(konfig::to_text(konfig::lower(metric)), kMost);
}

}  // namespace

Tree as_tree(double number) { return Tree(at::full({}, number, at::kDouble)); }

State State::with_parent(Poly<Metric> parent) && {
  if (!parent_) parent_ = std::move(parent);
  return std::move(*this);
}

State State::merge(const State& other) const& { return State(*this).merge(other); }

State State::merge(const State& other) && {
  if (parent_ && other.parent_ && !same_metric(parent_, other.parent_)) {
    throw Error(ErrorKind::value, "states of different metrics are merged: " + spoken(parent_) +
                                      " and " + spoken(other.parent_) +
                                      "; merge only states that one metric gave");
  }
  if (other.empty()) return std::move(*this).with_parent(other.parent_);
  if (empty()) return State(other).with_parent(parent_);
  if (ops_->type != other.ops_->type) {
    throw Error(ErrorKind::type, "a " + std::string(ops_->type) + " is merged with a " +
                                     std::string(other.ops_->type) +
                                     "; merge only states of one type");
  }
  if (!parent_) parent_ = other.parent_;
  if (object_.use_count() > 1) object_ = ops_->copy(object_.get());
  with_place(parent_, [&] { ops_->merge(object_.get(), other.object_.get()); });
  return std::move(*this);
}

State State::finalize() const {
  State out = *this;
  if (empty()) return out;
  out.object_ = ops_->copy(object_.get());
  with_place(parent_, [&] { ops_->finalize(out.object_.get()); });
  return out;
}

Tree State::compute() const {
  if (empty()) return Tree::dict();
  return with_place(parent_, [&] { return ops_->compute(object_.get()); });
}

State State::with_tree(const Tree& tree) const {
  State out = *this;
  if (empty()) return out;
  out.object_ = ops_->copy(object_.get());
  with_place(parent_, [&] { ops_->assign(out.object_.get(), tree); });
  return out;
}

void detail::fail_no_way_back(std::string_view state) {
  throw Error(ErrorKind::unsupported, "a " + std::string(state) +
                                          " cannot be read back: it has a member `tree` but no "
                                          "`with_tree`");
}

Tree State::tree() const { return empty() ? Tree::dict() : ops_->tree(object_.get()); }

}  // namespace kd::metrics
