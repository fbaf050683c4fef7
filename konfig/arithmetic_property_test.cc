// Random expressions of references against Python's arithmetic, written down directly.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "konfig/random_test.h"
#include "konfig/reference.h"

namespace konfig {
namespace {

// A number of Python.
struct Number {
  enum class Kind { boolean, integer, real } kind = Kind::integer;
  std::int64_t whole = 0;
  double real = 0;

  static Number of(bool b) { return {Kind::boolean, b, 0}; }
  static Number of(std::int64_t i) { return {Kind::integer, i, 0}; }
  static Number of(double d) { return {Kind::real, 0, d}; }
  bool is_real() const { return kind == Kind::real; }
  double as_real() const { return is_real() ? real : static_cast<double>(whole); }
  Value value() const {
    if (kind == Kind::boolean) return whole != 0;
    return is_real() ? Value(real) : Value(whole);
  }
};

struct Failed {
  ErrorKind kind;
};

double python_mod(double x, double y) {
  double mod = std::fmod(x, y);
  if (mod == 0) return std::copysign(0.0, y);
  return (y < 0) != (mod < 0) ? mod + y : mod;
}

double python_floordiv(double x, double y) {
  double mod = std::fmod(x, y);
  double div = (x - mod) / y;
  if (mod != 0 && (y < 0) != (mod < 0)) div -= 1;
  if (div == 0) return std::copysign(0.0, x / y);
  double floor = std::floor(div);
  return div - floor > 0.5 ? floor + 1 : floor;
}

// Wide enough for every sum and product of two 64-bit numbers.
__extension__ typedef __int128 Wide;

Number checked(Wide x) {
  if (x > INT64_MAX || x < INT64_MIN) throw Failed{ErrorKind::arithmetic};
  return Number::of(static_cast<std::int64_t>(x));
}

Number of_real(Op op, double x, double y) {
  switch (op) {
    case Op::add:
      return Number::of(x + y);
    case Op::sub:
      return Number::of(x - y);
    case Op::mul:
      return Number::of(x * y);
    default:
      break;
  }
  if (y == 0) throw Failed{ErrorKind::arithmetic};
  if (op == Op::div) return Number::of(x / y);
  return Number::of(op == Op::mod ? python_mod(x, y) : python_floordiv(x, y));
}

Number of_whole(Op op, const Number& a, const Number& b) {
  Wide x = a.whole, y = b.whole;
  switch (op) {
    case Op::add:
      return checked(x + y);
    case Op::sub:
      return checked(x - y);
    case Op::mul:
      return checked(x * y);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: {
      std::int64_t r = op == Op::bit_and  ? a.whole & b.whole
                       : op == Op::bit_or ? a.whole | b.whole
                                          : a.whole ^ b.whole;
      bool both = a.kind == Number::Kind::boolean && b.kind == Number::Kind::boolean;
      return both ? Number::of(r != 0) : Number::of(r);
    }
    default:
      break;
  }
  if (y == 0) throw Failed{ErrorKind::arithmetic};
  if (op == Op::div) return Number::of(a.as_real() / b.as_real());
  Wide mod = x % y;
  if (mod != 0 && (mod < 0) != (y < 0)) mod += y;
  return op == Op::mod ? checked(mod) : checked((x - mod) / y);
}

Number python(Op op, const Number& a, const Number& b) {
  bool real = a.is_real() || b.is_real();
  switch (op) {
    case Op::eq:
      return Number::of(real ? a.as_real() == b.as_real() : a.whole == b.whole);
    case Op::ne:
      return Number::of(real ? a.as_real() != b.as_real() : a.whole != b.whole);
    case Op::lt:
      return Number::of(real ? a.as_real() < b.as_real() : a.whole < b.whole);
    case Op::le:
      return Number::of(real ? a.as_real() <= b.as_real() : a.whole <= b.whole);
    case Op::gt:
      return Number::of(real ? a.as_real() > b.as_real() : a.whole > b.whole);
    case Op::ge:
      return Number::of(real ? a.as_real() >= b.as_real() : a.whole >= b.whole);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      if (real) throw Failed{ErrorKind::type};
      break;
    default:
      break;
  }
  return real ? of_real(op, a.as_real(), b.as_real()) : of_whole(op, a, b);
}

// An expression as a reference and as the model computes it.
struct Expression {
  Value late;  // a Reference, or a plain number
  std::optional<Number> number;
  ErrorKind error = ErrorKind::type;
  std::string text;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Expression leaf(ConfigDict& cfg) {
    Number n = number();
    if (random_.below(3) == 0) return {n.value(), n, {}, n.value().repr()};
    std::string key = "x" + std::to_string(cfg.size());
    cfg[key] = n.value();
    return {cfg.ref(key), n, {}, n.value().repr()};
  }

  Expression expression(ConfigDict& cfg, int depth) {
    if (depth == 0) return leaf(cfg);
    Expression a = expression(cfg, depth - 1), b = expression(cfg, random_.below(depth));
    static const std::vector<Op> ops = {
        Op::add,    Op::sub,     Op::mul, Op::div, Op::floordiv, Op::mod, Op::mul, Op::bit_and,
        Op::bit_or, Op::bit_xor, Op::eq,  Op::ne,  Op::lt,       Op::le,  Op::gt,  Op::ge};
    Op op = ops[static_cast<std::size_t>(random_.below(static_cast<int>(ops.size())))];
    bool left_only = op == Op::mod || op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
    if (!a.late.is<Reference>() && (left_only || !b.late.is<Reference>())) {
      std::string key = "x" + std::to_string(cfg.size());
      cfg[key] = a.late;
      a.late = cfg.ref(key);
    }
    Expression out{binary(op, a.late, b.late), {}, {}, ""};
    out.text = "(" + a.text + " " + std::string(to_string(op)) + " " + b.text + ")";
    if (!a.number || !b.number) {
      out.error = a.number ? b.error : a.error;
      return out;
    }
    try {
      out.number = python(op, *a.number, *b.number);
    } catch (const Failed& failed) {
      out.error = failed.kind;
    }
    return out;
  }

 private:
  Number number() {
    switch (random_.below(5)) {
      case 0:
        return Number::of(random_.below(2) == 0);
      case 1:
        return Number::of((random_.below(201) - 100) / 8.0);
      case 2:
        return Number::of((random_.below(2001) - 1000) / 7.0);
      default:
        return Number::of(static_cast<std::int64_t>(random_.below(101) - 50));
    }
  }
  RandomConfig random_;
};

TEST(Property, ReferencesComputeLikePython) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Generator generator(seed);
    ConfigDict cfg;
    Expression e = generator.expression(cfg, 1 + static_cast<int>(seed % 3));
    cfg["result"] = e.late;
    try {
      Value got = cfg.get("result");
      ASSERT_TRUE(e.number) << e.text << " gave " << got.repr();
      ASSERT_EQ(got.repr(), e.number->value().repr()) << e.text;
    } catch (const Error& error) {
      ASSERT_FALSE(e.number) << e.text << ": " << error.what();
      ASSERT_EQ(to_string(error.kind()), to_string(e.error)) << e.text << ": " << error.what();
    }
    ConfigDict copy = cfg.copy();
    EXPECT_EQ(copy.ref("result").try_get().has_value(), e.number.has_value());
  }
}

}  // namespace
}  // namespace konfig
