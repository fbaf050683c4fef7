// The expression behind a Reference. Library only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "konfig/node.h"
#include "konfig/reference.h"

namespace konfig::detail {

// A value shared by fields: what placeholders and two-way references write to.
struct Cell {
  Value value;
  std::optional<Tag> type;  // empty: anything
  bool required = false;
};

struct Expr {
  enum class Kind {
    root,    // the node itself
    item,    // operands[0][operands[1]]
    binary,  // operands[0] op operands[1]
    unary,   // `name` is "-", "abs", "int", "float" or "str"
    method,  // operands[0].name(operands[1], ...)
    call,    // fn(operands)
    cell,    // two-way: fields that hold it share `cell`
    oneway,  // follows `cell`
  };
  Kind kind = Kind::root;
  // Weak: a config owns its references, not the other way round.
  std::weak_ptr<Node> root = {};
  std::vector<Value> operands = {};
  Op op = Op::add;
  std::string name = {};
  RefFunction fn = {};
  std::shared_ptr<Cell> cell = {};

  ~Expr() { dispose(operands); }
};

Value evaluate(const Expr& expr);
std::string to_text(const Expr& expr);
inline const Expr& expr_of(const Value& reference) { return *reference.as<Reference>().expr(); }
inline Reference make_reference(Expr expr) {
  return Reference(std::make_shared<const Expr>(std::move(expr)));
}

}  // namespace konfig::detail
