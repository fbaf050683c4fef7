// Golden cases of samplers, by the reference's name of the function.
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>

#include "kd/random/sample.h"
#include "kd/random/special.h"
#include "tests/golden/random_groups.h"

namespace golden {
namespace {

using namespace kd::random;
using kd::Tensor;
using konfig::Value;

// The arguments of a call: plain ones from `args`, tensors from `inputs`.
struct Call {
  const RandomCase& c;

  Key key() const { return keys_of(c.inputs.at("key")).at(0); }
  const Value* find(const char* name) const {
    auto* value = c.args.find(name);
    return value && !value->is_none() ? value : nullptr;
  }
  const Tensor* tensor(const char* name) const {
    auto found = c.inputs.find(name);
    return found == c.inputs.end() ? nullptr : &found->second;
  }
  std::vector<std::int64_t> shape() const {
    auto* value = find("shape");
    return value ? integers(*value) : std::vector<std::int64_t>{};
  }
  ScalarType dtype(ScalarType otherwise) const {
    auto* value = find("dtype");
    return value ? dtype_of(value->as<std::string>()) : otherwise;
  }
  double real(const char* name, double otherwise) const {
    auto* value = find(name);
    return value ? number(*value) : otherwise;
  }
  std::int64_t whole(const char* name, std::int64_t otherwise) const {
    auto* value = find(name);
    return value ? value->as<std::int64_t>() : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    auto* value = find(name);
    return value ? value->as<bool>() : otherwise;
  }
  Precision precision() const {
    auto* value = find("mode");
    return value && value->as<std::string>() == "high" ? Precision::high : Precision::low;
  }
  Mode mode() const { return mode_of(c.args); }
  // A bound that may be either; as a tensor.
  Tensor any(const char* name, double otherwise, ScalarType dtype) const {
    if (auto* given = tensor(name)) return *given;
    return at::scalar_tensor(real(name, otherwise), at::TensorOptions(dtype));
  }
};

Tensor run_uniform(const Call& a) {
  auto dtype = a.dtype(at::kFloat);
  if (a.tensor("minval") || a.tensor("maxval")) {
    return uniform(a.key(), a.shape(), a.any("minval", 0, dtype), a.any("maxval", 1, dtype), dtype,
                   a.mode());
  }
  return uniform(a.key(), a.shape(), a.real("minval", 0), a.real("maxval", 1), dtype, a.mode());
}

Tensor run_truncated_normal(const Call& a) {
  auto dtype = a.dtype(at::kFloat);
  if (a.tensor("lower") || a.tensor("upper")) {
    return truncated_normal(a.key(), a.shape(), a.any("lower", -2, dtype), a.any("upper", 2, dtype),
                            dtype, a.mode());
  }
  return truncated_normal(a.key(), a.shape(), a.real("lower", -2), a.real("upper", 2), dtype,
                          a.mode());
}

Tensor run_bernoulli(const Call& a) {
  if (auto* p = a.tensor("p")) {
    auto shape = a.find("shape") ? a.shape() : p->sizes().vec();
    return bernoulli(a.key(), shape, *p, a.precision());
  }
  return bernoulli(a.key(), a.shape(), a.real("p", 0.5), a.precision());
}

Tensor run_randint(const Call& a) {
  auto dtype = a.dtype(at::kInt);
  if (a.tensor("minval") || a.tensor("maxval")) {
    return randint(a.key(), a.shape(), a.any("minval", 0, at::kLong), a.any("maxval", 0, at::kLong),
                   dtype, a.mode());
  }
  return randint(a.key(), a.shape(), a.whole("minval", 0), a.whole("maxval", 0), dtype, a.mode());
}

Tensor run_categorical(const Call& a) {
  Categorical how{
      .axis = a.whole("axis", -1), .replace = a.flag("replace", true), .precision = a.precision()};
  if (a.find("shape")) how.shape = a.shape();
  return categorical(a.key(), *a.tensor("logits"), how);
}

Tensor run_permutation(const Call& a) {
  if (auto* x = a.tensor("x")) {
    return permutation(a.key(), *x, a.whole("axis", 0), a.flag("independent", false), a.mode());
  }
  return permutation(a.key(), a.whole("x", 0), a.mode());
}

Tensor run_choice(const Call& a) {
  Choice how{
      .replace = a.flag("replace", true), .axis = a.whole("axis", 0), .precision = a.precision()};
  if (auto* p = a.tensor("p")) how.p = *p;
  if (auto* from = a.tensor("a")) return choice(a.key(), *from, a.shape(), how);
  return choice(a.key(), a.whole("a", 0), a.shape(), how);
}

Tensor run_rayleigh(const Call& a) {
  auto dtype = a.dtype(at::kFloat);
  if (auto* scale = a.tensor("scale")) return rayleigh(a.key(), a.shape(), *scale, dtype);
  return rayleigh(a.key(), a.shape(), a.real("scale", 1), dtype);
}

Tensor run_orthogonal(const Call& a) {
  std::int64_t n = a.whole("n", 0);
  return orthogonal(a.key(), n, a.whole("m", n), a.shape(), a.dtype(at::kFloat));
}

Tensor run_over_keys(const Call& a) {
  std::vector<Tensor> out;
  for (auto& key : keys_of(*a.tensor("keys"))) {
    out.push_back(normal(key, integers(a.c.args.at("per_key_shape"))));
  }
  return at::stack(out);
}

// One function of a key, a shape and a dtype.
using Plain = Tensor (*)(const Key&, Shape, ScalarType);
Tensor plain(Plain function, const Call& a) {
  return function(a.key(), a.shape(), a.dtype(at::kFloat));
}

const std::map<std::string, Tensor (*)(const Call&)> kSamplers = {
    {"jax.random.uniform", run_uniform},
    {"jax.random.normal",
     [](const Call& a) { return normal(a.key(), a.shape(), a.dtype(at::kFloat), a.mode()); }},
    {"jax.random.truncated_normal", run_truncated_normal},
    {"jax.random.bernoulli", run_bernoulli},
    {"jax.random.randint", run_randint},
    {"jax.random.gumbel",
     [](const Call& a) { return gumbel(a.key(), a.shape(), a.dtype(at::kFloat), a.precision()); }},
    {"jax.random.categorical", run_categorical},
    {"jax.random.permutation", run_permutation},
    {"jax.random.choice", run_choice},
    {"jax.random.exponential", [](const Call& a) { return plain(exponential, a); }},
    {"jax.random.laplace", [](const Call& a) { return plain(laplace, a); }},
    {"jax.random.logistic", [](const Call& a) { return plain(logistic, a); }},
    {"jax.random.cauchy", [](const Call& a) { return plain(cauchy, a); }},
    {"jax.random.rademacher",
     [](const Call& a) { return rademacher(a.key(), a.shape(), a.dtype(at::kInt)); }},
    {"jax.random.rayleigh", run_rayleigh},
    {"jax.random.orthogonal", run_orthogonal},
    {"jax.vmap(jax.random.normal)", run_over_keys},
};

// Four samplers of one case.
Tensors run_modes(const Call& a) {
  auto range = integers(a.c.args.at("randint"));
  auto shape = a.shape();
  return {{"uniform", uniform(a.key(), shape, 0, 1, at::kFloat, a.mode())},
          {"normal", normal(a.key(), shape, at::kFloat, a.mode())},
          {"permutation", permutation(a.key(), a.whole("permutation", 0), a.mode())},
          {"randint", randint(a.key(), shape, range.at(0), range.at(1), at::kInt, a.mode())}};
}

}  // namespace

std::optional<Tensors> run_samplers(const RandomCase& c) {
  Call call{c};
  if (auto found = kSamplers.find(c.api); found != kSamplers.end()) {
    return Tensors{{"sample", found->second(call)}};
  }
  if (c.api == "jax.random") return run_modes(call);
  if (c.api == "jax.random.bits") {
    return Tensors{{"bits", bits(call.key(), call.shape(), call.dtype(at::kUInt32), call.mode())}};
  }
  if (c.api == "jax.lax.erf_inv") return Tensors{{"y", kd::random::erf_inv(*call.tensor("x"))}};
  if (c.api == "jax.lax.erf") return Tensors{{"y", kd::random::erf(*call.tensor("x"))}};
  if (c.api == "jax.lax.log1p") return Tensors{{"y", kd::random::log1p(*call.tensor("x"))}};
  if (c.api == "jax.lax.log") return Tensors{{"y", kd::random::log(*call.tensor("x"))}};
  return std::nullopt;
}

}  // namespace golden
