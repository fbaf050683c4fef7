// References: building expressions and evaluating them.
#include "konfig/reference.h"

#include "base/join.h"
#include "konfig/arithmetic.h"
#include "konfig/expr_impl.h"
#include "konfig/print.h"

namespace konfig {

using detail::Expr;
using detail::make_reference;

std::string_view to_string(Op op) {
  static constexpr std::string_view kSymbols[] = {"+", "-", "*",  "/",  "//", "%",  "**", "&",
                                                  "|", "^", "==", "!=", "<",  "<=", ">",  ">="};
  return kSymbols[static_cast<std::size_t>(op)];
}

// ---- Evaluation ---------------------------------------------------------------------------------

namespace {

// An operand is a plain value or another reference.
Value operand(const Value& v) {
  auto* ref = v.get_if<Reference>();
  return ref ? ref->get() : v;
}

Value evaluate_item(const Expr& expr) {
  auto base = operand(expr.operands[0]);
  if (!base.is<ConfigDict>()) return detail::get_item(base, expr.operands[1]);
  try {
    return base.as<ConfigDict>().get(expr.operands[1]);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::key && e.kind() != ErrorKind::index) throw;
    throw Error(e.kind(),
                detail::to_text(expr) + ": the target of the reference is missing: " + e.what());
  }
}

Value evaluate_unary(const Expr& expr) {
  auto a = operand(expr.operands[0]);
  if (expr.name == "-") return detail::negate(a);
  if (expr.name == "abs") return detail::absolute(a);
  if (expr.name == "int") return detail::to_int(a);
  if (expr.name == "float") return detail::to_float(a);
  return detail::to_str(a);
}

std::vector<Value> evaluate_all(std::span<const Value> values) {
  std::vector<Value> out;
  for (auto& v : values) out.push_back(operand(v));
  return out;
}

}  // namespace

Value detail::evaluate(const Expr& expr) {
  thread_local int depth = 0;
  DepthGuard guard(depth);
  switch (expr.kind) {
    case Expr::Kind::root: {
      auto node = expr.root.lock();
      if (!node) {
        throw Error(ErrorKind::key,
                    "cfg.ref: the config this reference points into no longer exists; keep the "
                    "whole config alive, or use without_references()");
      }
      return Node::handle(node);
    }
    case Expr::Kind::item:
      return evaluate_item(expr);
    case Expr::Kind::binary: {
      auto left = operand(expr.operands[0]);
      return apply(expr.op, left, operand(expr.operands[1]));
    }
    case Expr::Kind::unary:
      return evaluate_unary(expr);
    case Expr::Kind::method: {
      auto args = evaluate_all(expr.operands);
      return call_method(args[0], expr.name, std::span(args).subspan(1));
    }
    case Expr::Kind::call:
      return expr.fn(evaluate_all(expr.operands));
    case Expr::Kind::cell:
    case Expr::Kind::oneway:
      if (expr.cell->required && expr.cell->value.is_none()) {
        throw Error(ErrorKind::required, "a required value is not set");
      }
      return operand(expr.cell->value);
  }
  throw Error(ErrorKind::unsupported, "unknown kind of reference");
}

Value Reference::get() const {
  auto v = detail::evaluate(*expr_);
  // A reference may lead to a list element that is a reference itself.
  for (int steps = 0; v.is<Reference>(); ++steps) {
    if (steps > kMaxDepth) throw Error(ErrorKind::cycle, path() + ": leads back to itself");
    v = detail::evaluate(detail::expr_of(v));
  }
  return v;
}

std::optional<Value> Reference::try_get() const {
  try {
    return get();
  } catch (const Error&) {
    return std::nullopt;
  }
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

std::string operand_text(const Value& v) {
  auto* ref = v.get_if<Reference>();
  return ref ? ref->path() : v.repr();
}

std::string item_text(const std::string& base, const Value& key) {
  auto* name = key.get_if<std::string>();
  bool identifier = name && !name->empty();
  for (std::size_t i = 0; identifier && i < name->size(); ++i) {
    char c = (*name)[i];
    bool digit = c >= '0' && c <= '9';
    identifier = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (digit && i > 0);
  }
  return identifier ? base + "." + *name : base + "[" + key.repr() + "]";
}

std::string list_text(std::span<const Value> values) {
  return base::join(values, ", ", operand_text);
}

}  // namespace

std::string detail::to_text(const Expr& expr) {
  thread_local int depth = 0;
  DepthGuard guard(depth);
  const auto& x = expr.operands;
  switch (expr.kind) {
    case Expr::Kind::root:
      return "cfg.ref";
    case Expr::Kind::item:
      return item_text(operand_text(x[0]), x[1]);
    case Expr::Kind::binary:
      return "(" + operand_text(x[0]) + " " + std::string(to_string(expr.op)) + " " +
             operand_text(x[1]) + ")";
    case Expr::Kind::unary:
      return expr.name == "-" ? "-" + operand_text(x[0])
                              : expr.name + "(" + operand_text(x[0]) + ")";
    case Expr::Kind::method:
      return operand_text(x[0]) + "." + expr.name + "(" + list_text(std::span(x).subspan(1)) + ")";
    case Expr::Kind::call:
      return expr.name + "(" + list_text(x) + ")";
    case Expr::Kind::cell:
    case Expr::Kind::oneway:
      break;
  }
  return "placeholder";
}

std::string Reference::path() const { return detail::to_text(*expr_); }

std::string Reference::repr() const {
  auto value = try_get();
  return "FieldReference(" + (value ? value->repr() : "<Unresolved>") + ")";
}

Reference::operator bool() const {
  throw Error(ErrorKind::truth, shorten(path() + " = " + repr(), 200) +
                                    ": a reference has no value yet and cannot be used for control "
                                    "flow; combine conditions with & and |");
}

// ---- Building -----------------------------------------------------------------------------------

Reference Reference::item(const Value& key) const {
  return make_reference({.kind = Expr::Kind::item, .operands = {*this, key}});
}
Reference Reference::operator[](std::string_view key) const { return item(key); }
Reference Reference::operator[](const char* key) const { return item(key); }
Reference Reference::operator[](int index) const { return item(index); }

Reference Reference::method(std::string_view name, std::vector<Value> args) const {
  args.insert(args.begin(), *this);
  return make_reference(
      {.kind = Expr::Kind::method, .operands = std::move(args), .name = std::string(name)});
}

Reference Reference::method(std::string_view name) const {
  return method(name, std::vector<Value>{});
}

static Reference unary(std::string name, const Reference& a) {
  return make_reference({.kind = Expr::Kind::unary, .operands = {a}, .name = std::move(name)});
}
Reference Reference::to_int() const { return unary("int", *this); }
Reference Reference::to_float() const { return unary("float", *this); }
Reference Reference::to_str() const { return unary("str", *this); }
Reference operator-(const Reference& a) { return unary("-", a); }
Reference abs(const Reference& a) { return unary("abs", a); }

Reference binary(Op op, const Value& left, const Value& right) {
  // As in Python, where only some operators look at their right side.
  bool reflected =
      op != Op::mod && op != Op::pow && op != Op::bit_and && op != Op::bit_or && op != Op::bit_xor;
  if (!left.is<Reference>() && !(reflected && right.is<Reference>())) {
    throw Error(ErrorKind::type, shorten(left.repr(), 40) + " " + std::string(to_string(op)) + " " +
                                     operand_text(right) +
                                     ": the reference must stand on the left of " +
                                     std::string(to_string(op)));
  }
  return make_reference({.kind = Expr::Kind::binary, .operands = {left, right}, .op = op});
}

Reference ref_fn(RefFunction fn, std::vector<Value> args, std::string name) {
  return make_reference({.kind = Expr::Kind::call,
                         .operands = std::move(args),
                         .name = std::move(name),
                         .fn = std::move(fn)});
}

Reference placeholder(CellType type, PlaceholderOptions options) {
  using detail::Tag;
  static constexpr Tag kTags[] = {Tag::none, Tag::boolean, Tag::integer, Tag::number,
                                  Tag::text, Tag::list,    Tag::tuple,   Tag::dict};
  auto cell = std::make_shared<detail::Cell>();
  if (type != CellType::any) cell->type = kTags[static_cast<std::size_t>(type)];
  cell->required = options.required;
  cell->value = detail::normalise(options.initial, "placeholder");
  if (cell->type) cell->value = detail::coerce(*cell->type, cell->value, "placeholder");
  return make_reference({.kind = Expr::Kind::cell, .cell = std::move(cell)});
}

}  // namespace konfig
