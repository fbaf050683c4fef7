// Values of a step that are not finite.
#include "kd/train/engine/checkify.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>

#include <algorithm>

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
  if (!checks.any()) return {};
  for (std::string_view root : {"preds", "interms", "loss_total", "grads", "updates"}) {
    // Modules may give infinities on purpose, as for what attention must not see.
    const bool infinite = checks.div && root != "preds" && root != "interms";
    if (auto found = first_in(context, root, checks.nan, infinite)) return found;
  }
  return {};
}

std::string first_bad_value(const Context& context) {
  for (std::string_view root : context_roots()) {
    if (auto found = first_in(context, root, true, true)) return *found;
  }
  return "loss_total";
}

}  // namespace kd::train
