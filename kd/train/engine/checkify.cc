// What a step must not do: values that are not finite, divisions by zero.
#include "kd/train/engine/checkify.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "base/shape_text.h"
#include "konfig/error.h"
#include "konfig/suggest.h"
#include "kontext/flatten.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr const char* kField = "checkify_error_categories";

std::optional<std::string> first_in(const Context& context, std::string_view root, bool nan,
                                    bool infinite) {
  at::NoGradGuard no_grad;
  const kontext::Part part{std::string(root)};
  const kontext::TreeRef tree = kontext::TreeRef(context).child(part);
  if (!tree) return {};
  for (auto& [path, leaf] : kontext::flatten_with_path(tree, {.prefix = part})) {
    auto* tensor = leaf.get_if<Tensor>();
    if (!tensor || !at::isFloatingType(tensor->scalar_type())) continue;
    if (nan && at::isnan(*tensor).any().item<bool>()) return path.str() + " (NaN)";
    if (infinite && at::isinf(*tensor).any().item<bool>()) return path.str() + " (infinite)";
  }
  return {};
}

void add(Checks& checks, const Value& category) {
  static const std::vector<std::string> known = {"nan", "div", "index", "user"};
  auto* name = category.get_if<std::string>();
  if (!name || std::ranges::find(known, *name) == known.end()) {
    throw Error(ErrorKind::value, kField,
                "expected a list of \"nan\", \"div\", \"index\" and \"user\", got " +
                    category.repr() + (name ? konfig::did_you_mean(*name, known) : ""));
  }
  checks.nan = checks.nan || *name == "nan";
  checks.div = checks.div || *name == "div";
  checks.index = checks.index || *name == "index";
}

template <class T>
bool add_all(Checks& checks, const Value& categories) {
  auto* all = categories.get_if<T>();
  if (!all) return false;
  for (const Value& one : *all) add(checks, one);
  return true;
}

}  // namespace

Checks checks_of(const Value& categories) {
  Checks out;
  if (categories.is_none()) return out;
  if (add_all<konfig::List>(out, categories) || add_all<konfig::Tuple>(out, categories) ||
      add_all<konfig::Set>(out, categories)) {
    return out;
  }
  add(out, categories);
  return out;
}

std::optional<std::string> failed_check(const Checks& checks, const Context& context) {
  if (!checks.nan && !checks.div) return {};
  for (std::string_view root : {"preds", "interms", "loss_total", "grads", "updates"}) {
    // Modules may give infinities on purpose, as for what attention must not see.
    const bool infinite = checks.div && root != "preds" && root != "interms";
    if (auto found = first_in(context, root, checks.nan, infinite)) return found;
  }
  return {};
}

namespace {

// Since the Watch of this thread began.
thread_local std::optional<std::string> division_found;

std::unique_ptr<at::ObserverContext> on_operation(const at::RecordFunction& operation) {
  static const std::set<std::string_view> divisions = {
      "aten::div",          "aten::div_",      "aten::divide",    "aten::true_divide",
      "aten::floor_divide", "aten::remainder", "aten::reciprocal"};
  if (division_found || !divisions.contains(operation.name())) return nullptr;
  const auto inputs = operation.inputs();
  const c10::IValue& by = inputs[inputs.size() > 1 ? 1 : 0];
  if (by.isTensor()) {
    const Tensor& divisor = by.toTensor();
    if (divisor.defined() && divisor.eq(0).any().item<bool>()) {
      division_found = "a division by zero (the divisor has the shape " +
                       base::tuple_text(divisor.sizes()) + ")";
    }
  } else if (by.isScalar() && by.toScalar().toDouble() == 0) {
    division_found = "a division by zero";
  }
  return nullptr;
}

}  // namespace

Watch::Watch(const Checks& checks) : indices_(checks.index) {
  if (!checks.div) return;
  division_found.reset();
  divisions_ =
      at::addThreadLocalCallback(at::RecordFunctionCallback(on_operation).needsInputs(true));
}

Watch::~Watch() {
  if (!divisions_) return;
  at::removeCallback(*divisions_);
  division_found.reset();
}

std::optional<std::string> division_by_zero() { return division_found; }

std::string first_bad_value(const Context& context) {
  for (std::string_view root : context_roots()) {
    if (auto found = first_in(context, root, true, true)) return *found;
  }
  return "loss_total";
}

}  // namespace kd::train
