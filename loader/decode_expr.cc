#include "loader/decode_expr_impl.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "konfig/arithmetic.h"
#include "konfig/print.h"
#include "loader/exception_kind_impl.h"

namespace loader {
namespace {

using namespace konfig;

class Reader {
 public:
  Reader(const List& form, Scope& scope) : form_(form), scope_(scope) {}

  Value read() {
    auto head = at(0).as<std::string>();
    const bool skip_none = head.ends_with('?');  // operations on cells: None stays None
    if (skip_none) head.pop_back();
    if (head == "path") return follow(scope_.root(), 1);
    if (head == "node") return follow(scope_.node(at(1)), 2);
    if (head == "cell") return scope_.cell(at(1));
    if (head == "const") return scope_.value(at(1));
    if (head == "value") {
      return ref_fn([value = scope_.value(at(1))](std::span<const Value>) { return value; }, {},
                    "value");
    }
    if (head == "item") return item(operand(1), operand(2));
    if (head == "op") return binary_op(at(1).as<std::string>(), operand(2), operand(3), skip_none);
    if (head == "unary") return unary_op(at(1).as<std::string>(), operand(2), skip_none);
    if (head == "method") return method(operand(1), at(2).as<std::string>());
    if (head == "error") return failure(at(1).as<std::string>());
    fail("unknown operation");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::value, "cannot read a reference that Python wrote: " + what + ": " +
                                      shorten(Value(form_).repr(), 80));
  }

  const Value& at(std::size_t i) const {
    if (i >= form_.size()) fail("too short");
    return form_[i];
  }
  Value operand(std::size_t i) { return expression(at(i), scope_); }

  Reference follow(Reference from, std::size_t first) const {
    for (auto i = first; i < form_.size(); ++i) from = from.item(form_[i]);
    return from;
  }

  static Value item(const Value& base, const Value& key) {
    auto* ref = base.get_if<Reference>();
    if (ref && !key.is<Reference>()) return ref->item(key);
    return later({base, key}, "item",
                 [](std::span<const Value> v) { return konfig::detail::get_item(v[0], v[1]); });
  }

  Value binary_op(const std::string& symbol, const Value& left, const Value& right,
                  bool skip_none) const {
    static const auto kOps = [] {
      std::map<std::string, Op, std::less<>> out;
      for (int i = 0; i <= static_cast<int>(Op::ge); ++i) {
        out.emplace(to_string(static_cast<Op>(i)), static_cast<Op>(i));
      }
      return out;
    }();
    const auto found = kOps.find(symbol);
    if (found == kOps.end()) fail("unknown operator");
    const Op op = found->second;
    if (left.is<Reference>() && !skip_none) return binary(op, left, right);
    return later({left, right}, symbol, [op, skip_none](std::span<const Value> v) -> Value {
      if (skip_none && (v[0].is_none() || v[1].is_none())) return None();
      return konfig::detail::apply(op, v[0], v[1]);
    });
  }

  Value unary_op(const std::string& name, const Value& x, bool skip_none) const {
    using Function = Value (*)(const Value&);
    static const std::map<std::string, Function, std::less<>> kFunctions = {
        {"-", konfig::detail::negate},
        {"abs", konfig::detail::absolute},
        {"int", konfig::detail::to_int},
        {"float", konfig::detail::to_float},
        {"str", konfig::detail::to_str}};
    const auto found = kFunctions.find(name);
    if (found == kFunctions.end()) fail("unknown operation");
    return later({x}, name, [f = found->second, skip_none](std::span<const Value> v) -> Value {
      return skip_none && v[0].is_none() ? Value() : f(v[0]);
    });
  }

  Value method(const Value& self, const std::string& name) {
    std::vector<Value> values = {self};
    for (std::size_t i = 3; i < form_.size(); ++i) values.push_back(operand(i));
    if (auto* ref = self.get_if<Reference>()) {
      return ref->method(name, std::vector<Value>(values.begin() + 1, values.end()));
    }
    return later(values, name, [name](std::span<const Value> v) {
      return konfig::detail::call_method(v[0], name, v.subspan(1));
    });
  }

  // `text` is "AttributeError: no field 'a'".
  static Value failure(const std::string& text) {
    const auto kind = kind_of_exception(std::string_view(text).substr(0, text.find(':')));
    return ref_fn([=](std::span<const Value>) -> Value { throw Error(kind, text); }, {}, "error");
  }

  // `f` of the values, on each read; now, when none of them can change.
  static Value later(std::vector<Value> values, const std::string& name, RefFunction f) {
    const bool lazy =
        std::any_of(values.begin(), values.end(), [](const Value& v) { return v.is<Reference>(); });
    return lazy ? Value(ref_fn(std::move(f), std::move(values), name)) : f(values);
  }

  const List& form_;
  Scope& scope_;
};

}  // namespace

Value expression(const Value& encoded, Scope& scope) {
  auto* form = encoded.get_if<List>();
  return form ? Reader(*form, scope).read() : scope.value(encoded);
}

}  // namespace loader
