// States that the golden cases of metrics build by hand.
#include "tests/golden/metrics_states.h"

#include <ATen/ops/ones.h>

#include "kd/metrics/engine/average.h"
#include "kd/metrics/engine/contrib_states.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/engine/reduce.h"
#include "kd/metrics/stats.h"
#include "tests/golden/compare.h"

namespace golden {

namespace {

using kd::Tensor;
using kd::Tree;
using kd::metrics::AverageState;
using kd::metrics::State;
using konfig::Dict;
using konfig::List;
using konfig::Value;
namespace metrics = kd::metrics;

struct SumState {
  metrics::SumField x;
};
struct MinState {
  metrics::MinField x;
};
struct MaxState {
  metrics::MaxField x;
};
struct ConcatState {
  metrics::ConcatField<> x;
};
struct Concat1State {
  metrics::ConcatField<1> x;
};
struct TruncateState {
  metrics::TruncateField<> x;
};
struct TruncateLastState {
  metrics::TruncateField<-1> x;
};
struct NestedState {
  AverageState avg;
  metrics::SumField x;
};

std::optional<std::int64_t> number_of(const Dict& args, const char* name) {
  auto* value = args.find(name);
  if (!value || value->is_none()) return std::nullopt;
  return value->as<std::int64_t>();
}

// A state of the kind that a case names.
State make_state(const std::string& kind, const Dict& args, const Tree& x) {
  if (kind == "sum_field") return SumState{x};
  if (kind == "min_field") return MinState{x};
  if (kind == "max_field") return MaxState{x};
  if (kind == "concat_field") return ConcatState{x};
  if (kind == "concat_field_axis1") return Concat1State{x};
  if (kind == "truncate_field") return TruncateState{{x, number_of(args, "num")}};
  if (kind == "truncate_field_last_axis") return TruncateLastState{{x, number_of(args, "num")}};
  if (kind == "CollectFirstState") {
    return metrics::CollectFirstState{{x, number_of(args, "keep_first")}};
  }
  if (kind == "state_field") {
    return NestedState{AverageState::from_values(x.tensor()), metrics::sum_all(x.tensor())};
  }
  throw std::runtime_error("unknown kind of state " + kind);
}

State state_of(const ComponentCase& c, const Dict& inputs) {
  Tree context = context_of(inputs, *c.tensors);
  if (c.api.ends_with(":metrics.CollectingState")) return metrics::CollectingState{context};
  return make_state(c.args.at("kind").as<std::string>(), c.args, context.at("x"));
}

// The fields of a state; of a state with one field, that field.
Tree value_of(const ComponentCase& c, const State& state) {
  Tree value = state.finalize().compute();
  return value.has_names() && value.size() == 1 && value.contains("x") &&
                 !c.api.ends_with("CollectingState")
             ? value.at("x")
             : value;
}

}  // namespace

std::vector<Mismatch> run_average(const ComponentCase& c) {
  const Dict& wanted = c.outputs.as<Dict>();
  AverageState state;
  if (c.api.ends_with("from_values")) {
    Tree context = context_of(c.inputs.as<Dict>(), *c.tensors);
    std::optional<Tensor> mask;
    if (context.contains("mask")) mask = context.at("mask").tensor();
    state = AverageState::from_values(context.at("values").tensor(), mask);
  }
  std::vector<Mismatch> out;
  compare_value(out, "total", state.total.tree(), wanted.at("total"), c);
  compare_value(out, "count", state.count.tree(), wanted.at("count"), c);
  compare_value(out, "value", state.compute(), wanted.at("value"), c);
  if (auto* dtype = wanted.find("total_dtype")) {
    std::string ours = numpy_name(state.total.tensor().scalar_type());
    if (ours != dtype->as<std::string>()) out.push_back({"total_dtype", show(*dtype), ours});
  }
  if (numpy_name(state.count.tensor().scalar_type()) != "float32") {
    out.push_back({"count's dtype", "float32", "another"});
  }
  if (auto* merged = wanted.find("after_empty")) {
    compare_value(out, "after_empty", State(state).merge(AverageState()).compute(), *merged, c);
    compare_value(out, "into_empty", State(AverageState()).merge(state).compute(), *merged, c);
  }
  return out;
}

std::vector<Mismatch> run_states(const ComponentCase& c) {
  State merged, kept;
  bool first = true;
  for (const Value& inputs : c.inputs.as<List>()) {
    State state = state_of(c, inputs.as<Dict>());
    kept = first ? state : kept.merge(state);
    merged = std::move(merged).merge(state);  // from an empty one
    first = false;
  }
  std::vector<Mismatch> out;
  compare_value(out, "value", value_of(c, merged), c.outputs, c);
  compare_value(out, "not from empty", value_of(c, kept), c.outputs, c);
  return out;
}

std::vector<Mismatch> run_state_error(const ComponentCase& c) {
  std::vector<Mismatch> out;
  compare_error(out, c.outputs.as<Dict>().at("exception").as<std::string>(), [&] {
    Tensor x = at::ones({2});
    if (c.api.ends_with("AverageState.from_values")) {
      auto shape = [&](const char* name) { return integers(c.inputs.as<Dict>().at(name)); };
      AverageState::from_values(at::ones(shape("values")), at::ones(shape("mask")));
    } else if (c.name.starts_with("err_state_none_")) {
      std::string kind = c.name.substr(std::string("err_state_none_").size());
      make_state(kind, {}, x).merge(make_state(kind, {}, Tree()));
    } else if (c.name == "err_state_static") {
      make_state("truncate_field", Dict{{"num", std::int64_t{3}}}, x)
          .merge(make_state("truncate_field", Dict{{"num", std::int64_t{4}}}, x));
    } else if (c.name == "err_state_parents") {
      auto of = [](const char* key) {
        return metrics::get_state(metrics::Norm{.tensor = key}, {{"tensor", at::ones({2, 2})}});
      };
      of("a").merge(of("b"));
    } else {
      throw std::runtime_error("unknown case " + c.name);
    }
  });
  return out;
}

std::vector<Mismatch> run_mean_cov(const ComponentCase& c) {
  using metrics::contrib::MeanCov;
  State merged = MeanCov();
  for (const Value& inputs : c.inputs.as<List>()) {
    Tree batch = context_of(inputs.as<Dict>(), *c.tensors);
    std::optional<Tensor> weights;
    if (batch.contains("fweights")) weights = batch.at("fweights").tensor();
    auto ddof = static_cast<int>(number_of(c.args, "ddof").value_or(0));
    merged =
        std::move(merged).merge(MeanCov::from_samples(batch.at("samples").tensor(), weights, ddof));
  }
  std::vector<Mismatch> out;
  compare_value(out, "value", merged.finalize().compute(), c.outputs, c);
  return out;
}

}  // namespace golden
