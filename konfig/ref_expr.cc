#include "konfig/ref_expr.h"

namespace konfig::detail {

namespace {

Value reference_to(const ConfigDict& root, const Path& path) {
  Reference out = root.ref();
  bool first = true;
  for (const Step& step : path) {
    Value key = std::visit([](const auto& s) { return Value(s); }, step);
    out = first ? root.ref(key) : out.item(key);
    first = false;
  }
  return out;
}

Path joined(Path head, const Path& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

struct FieldRef final : RefExpr {
  std::uint64_t id;
  bool in_config;  // else in a node, which any config may use
  Path path;
  FieldRef(std::uint64_t i, bool config, Path p) : id(i), in_config(config), path(std::move(p)) {}
  Value build(const RefScope& scope) const override {
    return reference_to(scope.root, joined(scope.locate(id), path));
  }
  bool belongs_to(std::uint64_t config) const override { return !in_config || id == config; }
};

struct ConstantRef final : RefExpr {
  Value value;
  explicit ConstantRef(Value v) : value(std::move(v)) {}
  Value build(const RefScope&) const override { return value; }
  bool belongs_to(std::uint64_t) const override { return true; }
};

struct BinaryRef final : RefExpr {
  Op op;
  RefExprPtr left, right;
  BinaryRef(Op o, RefExprPtr l, RefExprPtr r) : op(o), left(std::move(l)), right(std::move(r)) {}
  Value build(const RefScope& scope) const override {
    return binary(op, left->build(scope), right->build(scope));
  }
  bool belongs_to(std::uint64_t config) const override {
    return left->belongs_to(config) && right->belongs_to(config);
  }
};

struct FunctionRef final : RefExpr {
  RefFunction function;
  std::vector<RefExprPtr> args;
  std::string name;
  FunctionRef(RefFunction f, std::vector<RefExprPtr> a, std::string n)
      : function(std::move(f)), args(std::move(a)), name(std::move(n)) {}
  Value build(const RefScope& scope) const override {
    std::vector<Value> built;
    for (auto& arg : args) built.push_back(arg->build(scope));
    return ref_fn(function, std::move(built), name);
  }
  bool belongs_to(std::uint64_t config) const override {
    for (auto& arg : args) {
      if (!arg->belongs_to(config)) return false;
    }
    return true;
  }
};

}  // namespace

RefExprPtr field_ref(std::uint64_t config, Path path) {
  return std::make_shared<FieldRef>(config, true, std::move(path));
}
RefExprPtr node_ref(std::uint64_t node, Path rel) {
  return std::make_shared<FieldRef>(node, false, std::move(rel));
}
RefExprPtr constant_ref(Value value) { return std::make_shared<ConstantRef>(std::move(value)); }
RefExprPtr binary_ref(Op op, RefExprPtr left, RefExprPtr right) {
  return std::make_shared<BinaryRef>(op, std::move(left), std::move(right));
}
RefExprPtr function_ref(RefFunction function, std::vector<RefExprPtr> args, std::string name) {
  return std::make_shared<FunctionRef>(std::move(function), std::move(args), std::move(name));
}

}  // namespace konfig::detail
