// Discovery of flags: a config with up to 1,000 classes, chosen by flags, and up to 1,000 fields of
// one class. Times must grow linearly with either.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tfimm/train/train.h"

namespace {

using namespace tfimm::train;

std::string numbered(const char* name, std::int64_t i) { return name + std::to_string(i); }

Field number(const std::string& name) {
  return {.name = name, .type = FieldType::integer, .default_value = 1};
}

// Problem0, Problem1, ...: registered once, each with one field.
void register_problems(std::int64_t n) {
  static std::int64_t known = 0;
  for (; known < n; ++known) {
    cfg_serializable({.name = numbered("Problem", known),
                      .cfg_class = make_config_class(numbered("Config", known), {number("a")}),
                      .place = "bench"});
  }
}

void parse(benchmark::State& state, const ConfigClassPtr& cls,
           const std::vector<std::string>& args) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_args(konfig::Value(konfig::Dict()), args, cls));
  }
  state.SetComplexityN(state.range(0));
}

// n classes: --p7_class=Problem7 makes --p7.a known.
void classes(benchmark::State& state) {
  register_problems(1000);
  std::vector<Field> fields;
  std::vector<std::string> args;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::string name = numbered("p", i);
    fields.push_back({.name = name, .type = FieldType::any, .default_value = konfig::None{}});
    fields.push_back({.name = name + "_class", .type = FieldType::text, .default_value = ""});
    args.push_back("--" + name + ".a=" + std::to_string(i));
    args.push_back("--" + name + "_class=" + numbered("Problem", i));
  }
  parse(state, make_config_class("Wide", std::move(fields)), args);
}

// n flags of one class.
void flags(benchmark::State& state) {
  std::vector<Field> fields;
  std::vector<std::string> args;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    fields.push_back(number(numbered("field", i)));
    args.push_back("--" + numbered("field", i) + "=" + std::to_string(i));
  }
  parse(state, make_config_class("Long", std::move(fields)), args);
}

BENCHMARK(classes)
    ->RangeMultiplier(2)
    ->Range(125, 1000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oAuto);
BENCHMARK(flags)
    ->RangeMultiplier(2)
    ->Range(125, 1000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oAuto);

}  // namespace
