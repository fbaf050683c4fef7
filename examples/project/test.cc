// Tests of the project's parts: ctest --test-dir build
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <iostream>

#include "data.h"
#include "kd/nn/engine/apply.h"
#include "loss.h"
#include "model.h"

static bool check(bool ok, const char* what) {
  std::cout << (ok ? "ok: " : "FAILED: ") << what << "\n";
  return ok;
}

int main() {
  bool ok = true;

  const my_project::Spiral data{.n = 30};
  const kd::Tree first = data.record(0);
  ok &= check(first["point"].tensor().numel() == 2, "a point has two coordinates");
  ok &= check(first["point"].tensor().equal(data.record(0)["point"].tensor()),
              "a record is the same each time");

  const my_project::Mlp model{.hidden = 8, .classes = 3};
  const at::Tensor points = at::zeros({5, 2});
  const kd::Tree variables = model.init({.rngs = kd::random::key(0)}, points);
  const kd::Tree preds = model.apply(variables, {}, points).out;
  ok &= check(preds["logits"].tensor().size(1) == 3, "a logit for each class");

  const my_project::Focal loss{.logits = "preds.logits", .labels = "batch.label", .gamma = 0};
  const at::Tensor value = loss.get_values(at::zeros({1, 3}), at::full({1, 1}, 1, at::kInt));
  ok &= check(std::abs(value.item<double>() - std::log(3.0)) < 1e-6,
              "without gamma it is the cross entropy");

  return ok ? 0 : 1;
}
