// Every loss and metric on tensors of any shape, dtype and content: a value or an Error that names
// it, never anything else.
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "kd/losses/test_tools_test.h"
#include "kd/metrics/components.h"
#include "kd/metrics/contrib/contrib.h"
#include "konfig/config_dict.h"

namespace kd::losses {
namespace {

using konfig::ConfigDict;

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t n) { return random() % n; }

// A tensor of one of a few shapes, so that several of them often fit together.
Tensor any_tensor(Random& random) {
  static const std::vector<std::vector<std::int64_t>> shapes = {{},
                                                                {0},
                                                                {1},
                                                                {3},
                                                                {2, 3},
                                                                {2, 1},
                                                                {0, 3},
                                                                {2, 0},
                                                                {2, 3, 1},
                                                                {2, 2, 3, 1},
                                                                {2, 12, 13, 3},
                                                                {2, 3, 4},
                                                                {2, 1, 3, 4},
                                                                {2, 3, 4, 1},
                                                                {1, 1, 2, 2, 1},
                                                                {2, 2, 3, 2},
                                                                {2, 5, 0, 1},
                                                                {1, 40000}};
  static const std::vector<c10::ScalarType> dtypes = {
      at::kFloat, at::kFloat, at::kFloat, at::kDouble, at::kBFloat16, at::kHalf,
      at::kInt,   at::kInt,   at::kLong,  at::kByte,   at::kBool};
  Tensor x = at::randn(shapes[pick(random, shapes.size())]) * 3;
  static const std::vector<float> odd = {std::nanf(""), INFINITY, -INFINITY, 1e30f, 0};
  if (pick(random, 4) == 0 && x.numel() > 0) x.view(-1)[0] = odd[pick(random, odd.size())];
  auto dtype = dtypes[pick(random, dtypes.size())];
  return c10::isFloatingType(dtype) ? x.to(dtype) : x.nan_to_num(0).clamp(-3, 3).to(dtype);
}

// A config of the component with keys set to a few names, others left at their defaults.
ConfigDict any_config(const konfig::Type& type, Random& random) {
  static const std::vector<std::string> names = {"a", "b", "c"};
  ConfigDict out;
  out.set("__qualname__", konfig::qualname_of(type));
  for (auto& field : type.fields) {
    std::string name(field.name);
    const konfig::Type& t = field.type();
    bool optional = t.kind == konfig::Kind::optional && t.element().name == konfig::type_name<Key>;
    if (name == "step") continue;
    if (t.name == konfig::type_name<Key> || (optional && pick(random, 2))) {
      out.set(name, names[pick(random, names.size())]);
    } else if (t.kind == konfig::Kind::required) {
      if (t.element().kind == konfig::Kind::poly) {
        out.set(name, ConfigDict{{"__qualname__", "kauldron.kd:metrics.Norm"}, {"tensor", "a"}});
      } else {
        out.set(name, std::int64_t{3});
      }
    }
  }
  return out;
}

TEST(Robustness, AnyTensors) {
  Random random(7);
  int values = 0, errors = 0;
  for (const std::string& name : konfig::components_of(konfig::type_name<Metric>)) {
    if (!name.starts_with("kd::metrics::") && !name.starts_with("kd::losses::")) continue;
    const konfig::Type* type = nullptr;
    for (auto* symbol : konfig::all_symbols()) {
      if (symbol->type && symbol->type->name == name) type = symbol->type;
    }
    if (!type) continue;
    SCOPED_TRACE(name);
    for (int round = 0; round < 150; ++round) {
      Tree context = Tree::dict(
          {{"a", any_tensor(random)}, {"b", any_tensor(random)}, {"c", any_tensor(random)}});
      try {
        auto built = konfig::resolve(konfig::Value(any_config(*type, random)));
        Poly<Metric> metric = konfig::load<Poly<Metric>>(built);
        metrics::State state = metrics::get_state(metric, context);
        state.merge(state).finalize().compute();
        metrics::empty(metric).finalize().compute();
        ++values;
      } catch (const konfig::Error& e) {
        EXPECT_NE(std::string(e.what()), "");
        ++errors;
      }
    }
  }
  EXPECT_GT(values, 300);
  EXPECT_GT(errors, 300);
}

}  // namespace
}  // namespace kd::losses
