// The arithmetic in shapes: small postfix programs over the dims bound so far.
#include <algorithm>

#include "kd/typing/scope.h"
#include "konfig/error.h"

namespace kd::typing {

namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// False when the result is no whole number of 64 bits.
bool apply(Op op, std::int64_t a, std::int64_t b, std::int64_t& out) {
  switch (op) {
    case Op::add:
      return !__builtin_add_overflow(a, b, &out);
    case Op::subtract:
      return !__builtin_sub_overflow(a, b, &out);
    case Op::multiply:
      return !__builtin_mul_overflow(a, b, &out);
    case Op::divide:
      return b != 0 && a % b == 0 && (out = a / b, true);
    case Op::floor_divide:
      return b != 0 && (out = floor_divide(a, b), true);
    case Op::modulo:
      return b != 0 && (out = a - b * floor_divide(a, b), true);
    case Op::min:
      return out = std::min(a, b), true;
    case Op::max:
      return out = std::max(a, b), true;
    case Op::power:
      if (b < 0 || b > 63) return false;
      for (out = 1; b > 0; --b) {
        if (__builtin_mul_overflow(out, a, &out)) return false;
      }
      return true;
    default:
      return false;
  }
}

// Several dims as one number. No dims have no least and no greatest.
bool reduce(Op op, const std::int64_t* sizes, std::uint32_t count, std::int64_t& out) {
  const bool extreme = op == Op::min || op == Op::max;
  if (extreme && count == 0) return false;
  out = op == Op::len ? count : op == Op::prod ? 1 : extreme ? sizes[0] : 0;
  const Op joined = op == Op::prod ? Op::multiply : extreme ? op : Op::add;
  for (std::uint32_t i = 0; op != Op::len && i < count; ++i) {
    if (!apply(joined, out, sizes[i], out)) return false;
  }
  return true;
}

}  // namespace

Scope::Value Scope::evaluate(const Spec& spec, const Dim& dim, std::int64_t size) const {
  bool unknown = false;
  std::size_t end = dim.first + dim.steps;
  for (std::size_t first = dim.first; first < end;) {
    std::size_t stop = first;
    while (stop < end && spec.step[stop].op != Op::either) ++stop;
    std::int64_t value = 0;
    Value result = run(spec, first, stop, value);
    if (result == Value::known && value == size) return Value::known;
    unknown = unknown || result == Value::unknown;
    first = stop + 1;
  }
  return unknown ? Value::unknown : Value::impossible;
}

Scope::Value Scope::run(const Spec& spec, std::size_t first, std::size_t end,
                        std::int64_t& out) const {
  std::int64_t stack[std::tuple_size_v<decltype(spec.step)>] = {};
  std::size_t top = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Step& step = spec.step[i];
    if (step.op <= Op::field) {
      Value value = load(spec, step, stack[top++]);
      if (value != Value::known) return value;
    } else if (step.op == Op::many) {
      const Binding* many = find(spec.of(step.name), true);
      if (!many) return Value::unknown;
      if (!reduce(spec.step[++i].op, sizes_.data() + many->begin, many->count, stack[top++])) {
        return Value::impossible;
      }
    } else if (step.op == Op::negate) {
      if (!apply(Op::subtract, 0, stack[top - 1], stack[top - 1])) return Value::impossible;
    } else {
      --top;
      if (!apply(step.op, stack[top - 1], stack[top], stack[top - 1])) return Value::impossible;
    }
  }
  out = stack[0];
  return Value::known;
}

Scope::Value Scope::load(const Spec& spec, const Step& step, std::int64_t& out) const {
  out = step.number;
  if (step.op == Op::number) return Value::known;
  std::string_view name = spec.of(step.name);
  if (step.op == Op::field && field_) {
    if (auto value = field_(object_, name)) {
      out = *value;
      return Value::known;
    }
  }
  const Binding* known = find(name, false);
  if (!known) return Value::unknown;
  if (known->absent) return Value::impossible;
  out = sizes_[known->begin];
  return Value::known;
}

namespace {

[[noreturn]] void fail_shape(const Spec& spec, std::string_view dim, const std::string& why) {
  throw konfig::Error(konfig::ErrorKind::value, "shape<\"" + std::string(spec.text) + "\">: '" +
                                                    std::string(dim) + "' " + why);
}

}  // namespace

std::vector<std::int64_t> Scope::shape(const Spec& spec) const {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < spec.dims; ++i) {
    const Dim& dim = spec.dim[i];
    const std::string_view text = spec.of(dim.text);
    if (dim.unchecked) fail_shape(spec, text, "has no size of its own; give it a name");
    if (dim.name.size) {
      const Binding* known = find(spec.of(dim.name), dim.many);
      if (!known) fail_shape(spec, text, "is no dim of this call; bound: " + bound_text());
      out.insert(out.end(), sizes_.begin() + known->begin,
                 sizes_.begin() + known->begin + known->count);
      continue;
    }
    const std::size_t end = dim.first + dim.steps;
    bool choice = dim.optional;
    for (std::size_t k = dim.first; k < end; ++k) choice = choice || spec.step[k].op == Op::either;
    if (choice) fail_shape(spec, text, "leaves a choice; name the dim");
    std::int64_t size = 0;
    if (run(spec, dim.first, end, size) != Value::known) {
      fail_shape(spec, text, "has no value here; bound: " + bound_text());
    }
    out.push_back(size);
  }
  return out;
}

}  // namespace kd::typing
