// The Reference itself. Its operators need the complete Value: include konfig/reference.h to use
// it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace konfig {

class Value;

namespace detail {
struct Expr;  // konfig/expr_impl.h
}

class Reference {
 public:
  // The current value. A missing target, a cycle or a failing operation is an Error.
  Value get() const;
  // Empty when it cannot be computed now.
  std::optional<Value> try_get() const;

  Reference operator[](std::string_view key) const;
  Reference operator[](const char* key) const;
  Reference operator[](int index) const;
  Reference item(const Value& key) const;
  // A method of the value: text upper, lower, strip, split, join, replace, startswith, endswith,
  // format; list index, count.
  Reference method(std::string_view name) const;
  Reference method(std::string_view name, std::vector<Value> args) const;
  Reference to_int() const;
  Reference to_float() const;
  Reference to_str() const;

  // A reference is no condition: this throws and says what to do instead.
  explicit operator bool() const;

  std::string path() const;  // "cfg.ref.a.b", or the expression
  std::string repr() const;  // "FieldReference(3)"

  explicit Reference(std::shared_ptr<const detail::Expr> expr) : expr_(std::move(expr)) {}
  const std::shared_ptr<const detail::Expr>& expr() const { return expr_; }

 private:
  std::shared_ptr<const detail::Expr> expr_;
};

}  // namespace konfig
