// Reference: a value computed from other fields each time it is read.
//
//   cfg["warmup"] = cfg.ref("num_train_steps") / 10;
//   cfg["name"] = ref_fn(make_name, {cfg.ref("seed")});
//
// References are one-way: writing to a field that holds one replaces it and leaves the target
// alone. They survive copies (the copy's references follow the copy) and report cycles with the
// whole chain. `placeholder` and `ConfigDict::get_ref` make cells, which several fields share.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/value.h"

namespace konfig {

// Python's operators, lazily: one side at least is a Reference.
enum class Op {
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  pow,
  bit_and,
  bit_or,
  bit_xor,
  eq,
  ne,
  lt,
  le,
  gt,
  ge
};
std::string_view to_string(Op);
Reference binary(Op op, const Value& left, const Value& right);
Reference operator-(const Reference&);
Reference abs(const Reference&);
inline Reference floordiv(const Value& a, const Value& b) { return binary(Op::floordiv, a, b); }
inline Reference pow(const Value& a, const Value& b) { return binary(Op::pow, a, b); }

#define KONFIG_REFERENCE_OP(symbol, name)                                    \
  inline Reference operator symbol(const Reference& a, const Value& b) {     \
    return binary(Op::name, a, b);                                           \
  }                                                                          \
  inline Reference operator symbol(const Value& a, const Reference& b) {     \
    return binary(Op::name, a, b);                                           \
  }                                                                          \
  inline Reference operator symbol(const Reference& a, const Reference& b) { \
    return binary(Op::name, a, b);                                           \
  }
KONFIG_REFERENCE_OP(+, add)
KONFIG_REFERENCE_OP(-, sub)
KONFIG_REFERENCE_OP(*, mul)
KONFIG_REFERENCE_OP(/, div)
KONFIG_REFERENCE_OP(%, mod)
KONFIG_REFERENCE_OP(&, bit_and)
KONFIG_REFERENCE_OP(|, bit_or)
KONFIG_REFERENCE_OP(^, bit_xor)
KONFIG_REFERENCE_OP(==, eq)
KONFIG_REFERENCE_OP(!=, ne)
KONFIG_REFERENCE_OP(<, lt)
KONFIG_REFERENCE_OP(<=, le)
KONFIG_REFERENCE_OP(>, gt)
KONFIG_REFERENCE_OP(>=, ge)
#undef KONFIG_REFERENCE_OP

// A function of references (and plain values), called on every read.
using RefFunction = std::function<Value(std::span<const Value>)>;
Reference ref_fn(RefFunction fn, std::vector<Value> args, std::string name = "fn");

// Types a placeholder may be declared with.
enum class CellType { any, boolean, integer, number, text, list, tuple, dict };

// A typed cell to be filled later. Reads as None, or is an Error while `required` and unset. The
// same placeholder in two fields is one cell.
struct PlaceholderOptions {
  bool required = false;
  Value initial = {};
};
Reference placeholder(CellType type = CellType::any, PlaceholderOptions options = {});

// A copy whose leaves follow the original until they are overwritten.
ConfigDict ref_copy(const ConfigDict& cfg);

}  // namespace konfig
