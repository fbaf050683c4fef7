// The tensors of golden cases.
#include "tests/golden/tensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <filesystem>
#include <limits>
#include <stdexcept>

#include "kd/io/safetensors.h"

namespace golden {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

using at::ScalarType;

constexpr std::pair<const char*, ScalarType> kNames[] = {
    {"bool", ScalarType::Bool},         {"uint8", ScalarType::Byte},
    {"int8", ScalarType::Char},         {"uint16", ScalarType::UInt16},
    {"int16", ScalarType::Short},       {"uint32", ScalarType::UInt32},
    {"int32", ScalarType::Int},         {"uint64", ScalarType::UInt64},
    {"int64", ScalarType::Long},        {"float16", ScalarType::Half},
    {"bfloat16", ScalarType::BFloat16}, {"float32", ScalarType::Float},
    {"float64", ScalarType::Double},    {"complex64", ScalarType::ComplexFloat}};

kd::Tensor doubles_of(const Dict& entry) {
  std::vector<double> values;
  for (const Value& value : entry.at("data").as<List>()) values.push_back(number(value));
  return at::tensor(values, at::kDouble).reshape(integers(entry.at("shape")));
}

kd::Tensor from_data(const Dict& entry) {
  return doubles_of(entry).to(dtype_of(entry.at("dtype").as<std::string>()));
}

bool has_data(const kd::Tensor& tensor, const Dict& entry) {
  const kd::Tensor a = tensor.to(at::kDouble), b = doubles_of(entry);
  return a.sizes() == b.sizes() && ((a == b) | (a.isnan() & b.isnan())).all().item<bool>();
}

// What an entry says of its tensor beside the name is true.
void check_description(const Dict& entry, const kd::Tensor& tensor) {
  const Value *dtype = entry.find("dtype"), *shape = entry.find("shape");
  const bool fits = (!dtype || dtype->as<std::string>() == numpy_name(tensor.scalar_type())) &&
                    (!shape || integers(*shape) == tensor.sizes().vec());
  if (!fits || (entry.find("data") && !has_data(tensor, entry))) {
    throw std::runtime_error("the tensor " + entry.at("tensor").as<std::string>() +
                             " is not as it is described");
  }
}

}  // namespace

Tensors load_tensors(const std::string& area) {
  const std::string file = golden_folder() + "/" + area + "/tensors.safetensors";
  return std::filesystem::exists(file) ? kd::io::load_safetensors(file) : Tensors();
}

kd::Tensor tensor_of(const Dict& entry, const Tensors& tensors) {
  const Value* name = entry.find("tensor");
  if (!name) return from_data(entry);
  auto found = tensors.find(name->as<std::string>());
  if (found == tensors.end()) {
    throw std::runtime_error("no tensor named " + name->as<std::string>());
  }
  kd::Tensor out = found->second;
  check_description(entry, out);
  if (const Value* stored = entry.find("stored_as")) {
    auto& text = stored->as<std::string>();
    out = out.view(dtype_of(text.substr(text.rfind(' ') + 1)));
  }
  return out;
}

Tensors tensors_of(const Dict& entries, const Tensors& tensors) {
  Tensors out;
  for (auto& [name, entry] : entries) {
    out[name.as<std::string>()] = tensor_of(entry.as<Dict>(), tensors);
  }
  return out;
}

ScalarType dtype_of(const std::string& name) {
  for (auto& [spelling, dtype] : kNames) {
    if (name == spelling) return dtype;
  }
  throw std::runtime_error("unknown dtype " + name);
}

std::string numpy_name(ScalarType dtype) {
  for (auto& [spelling, known] : kNames) {
    if (dtype == known) return spelling;
  }
  return c10::toString(dtype);
}

double number(const Value& value) {
  if (auto* big = value.get_if<konfig::BigInt>()) return std::stod(big->digits);
  if (auto* text = value.get_if<std::string>()) return std::stod(*text);
  if (auto* flag = value.get_if<bool>()) return *flag;
  if (auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
  return value.as<double>();
}

std::vector<std::int64_t> integers(const Value& list) {
  std::vector<std::int64_t> out;
  for (const Value& value : list.as<List>()) out.push_back(value.as<std::int64_t>());
  return out;
}

}  // namespace golden
