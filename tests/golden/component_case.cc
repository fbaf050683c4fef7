// Contexts, configs and comparison of the golden tests of losses and metrics.
#include "tests/golden/component_case.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include "base/join.h"
#include "konfig/resolve.h"
#include "tests/golden/compare.h"

namespace golden {

using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::List;
using konfig::Value;

namespace {

Tree leaf_of(const Value& value, const Tensors& tensors) {
  if (auto* whole = value.get_if<std::int64_t>()) return at::full({}, *whole, at::kInt);
  if (auto* entry = value.get_if<Dict>()) {
    return at::ones(integers(entry->at("shape")), dtype_of(entry->at("dtype").as<std::string>()));
  }
  if (auto* list = value.get_if<List>()) {
    Tree::Texts texts;
    for (const Value& text : *list) texts.push_back(text.as<std::string>());
    return Tree(std::move(texts));
  }
  auto& name = value.as<std::string>();
  auto found = tensors.find(name);
  return found == tensors.end() ? Tree(Tree::Texts{name}) : Tree(found->second);
}

void insert(Tree& tree, const std::string& path, Tree leaf) {
  auto dot = path.find('.');
  if (dot == path.npos) {
    tree[path] = std::move(leaf);
  } else {
    insert(tree[path.substr(0, dot)], path.substr(dot + 1), std::move(leaf));
  }
}

Value with_numbers(const Value& config) {
  if (auto* text = config.get_if<std::string>()) {
    bool is_number = *text == "inf" || *text == "-inf" || *text == "nan";
    return is_number ? Value(number(config)) : config;
  }
  if (auto* list = config.get_if<List>()) {
    List out;
    for (const Value& item : *list) out.push_back(with_numbers(item));
    return out;
  }
  if (auto* dict = config.get_if<Dict>()) {
    Dict out;
    for (auto& [key, value] : *dict) out.set(key, with_numbers(value));
    return out;
  }
  return config;
}

bool is_number(const Value& value) {
  auto* text = value.get_if<std::string>();
  return value.is<bool>() || value.is<std::int64_t>() || value.is<double>() ||
         (text && (*text == "inf" || *text == "-inf" || *text == "nan"));
}

std::string shown(const Tree& tree) {
  if (tree.is_tensor() && tree.tensor().dim() == 0) {
    return std::to_string(tree.tensor().item().toDouble());
  }
  if (tree.kind() == Tree::Kind::texts) return base::join(tree.texts(), ", ");
  return std::string(tree.type()) + " of " + std::to_string(tree.size());
}

void compare_texts(std::vector<Mismatch>& out, const std::string& what, const Tree& ours,
                   const Value& wanted) {
  Tree::Texts texts;
  if (auto* one = wanted.get_if<std::string>()) texts = {*one};
  if (auto* list = wanted.get_if<List>()) {
    for (const Value& text : *list) texts.push_back(text.as<std::string>());
  }
  if (ours.kind() != Tree::Kind::texts || ours.texts() != texts) {
    out.push_back({what, show(wanted), shown(ours)});
  }
}

}  // namespace

const Tensor& ComponentCase::tensor(const Value& name_of_tensor) const {
  auto found = tensors->find(name_of_tensor.as<std::string>());
  if (found == tensors->end()) throw std::runtime_error("no tensor " + show(name_of_tensor));
  return found->second;
}

Tree context_of(const Dict& inputs, const Tensors& tensors) {
  Tree out = Tree::dict();
  for (auto& [path, value] : inputs) {
    insert(out, path.as<std::string>(), leaf_of(value, tensors));
  }
  return out;
}

Value built(const Value& config) {
  return konfig::resolve(Value(konfig::ConfigDict(with_numbers(config).as<Dict>())));
}

void compare_value(std::vector<Mismatch>& out, const std::string& what, const Tree& ours,
                   const Value& wanted, const ComponentCase& c) {
  auto wrong = [&] { out.push_back({what, show(wanted), shown(ours)}); };
  if (wanted.is_none()) {
    if (!ours.is_none()) wrong();
    return;
  }
  auto* dict = wanted.get_if<Dict>();
  if (is_number(wanted) || (dict && dict->find("tensor"))) {
    if (!ours.is_tensor()) return wrong();
    Tolerance tolerance = c.tolerance;
    tolerance.check_dtype = dict != nullptr;
    Tensor expected =
        dict ? c.tensor(dict->at("tensor")) : at::full({}, number(wanted), at::kDouble);
    std::string problem = difference(ours.tensor(), expected, tolerance);
    if (!problem.empty()) out.push_back({what, show(wanted), problem});
    return;
  }
  if (dict) {
    if (!ours.has_names() || ours.size() != dict->size()) return wrong();
    for (auto& [key, value] : *dict) {
      auto& name = key.as<std::string>();
      auto* child = ours.find(name);
      if (!child) return wrong();
      compare_value(out, what + "." + name, *child, value, c);
    }
    return;
  }
  auto* list = wanted.get_if<List>();
  if (!list || (!list->empty() && (*list)[0].is<std::string>())) {
    return compare_texts(out, what, ours, wanted);
  }
  if (ours.size() != list->size()) return wrong();
  for (std::size_t i = 0; i < list->size(); ++i) {
    compare_value(out, what + "[" + std::to_string(i) + "]", ours.child(i), (*list)[i], c);
  }
}

void compare_error(std::vector<Mismatch>& out, const std::string& exception,
                   const std::function<void()>& run) {
  static const std::map<std::string, std::vector<ErrorKind>> kinds = {
      {"KeyError", {ErrorKind::key}},
      {"IndexError", {ErrorKind::index}},
      {"ValueError", {ErrorKind::value, ErrorKind::required}},
      {"TypeError", {ErrorKind::type}},
      {"KTypeCheckError", {ErrorKind::type}},
      {"AssertionError", {ErrorKind::value, ErrorKind::type}},
      {"NotImplementedError", {ErrorKind::unsupported}}};
  auto accepted = kinds.find(exception);
  if (accepted == kinds.end()) throw std::runtime_error("unknown exception " + exception);
  try {
    run();
  } catch (const konfig::Error& e) {
    if (std::ranges::find(accepted->second, e.kind()) != accepted->second.end()) return;
    out.push_back({"error", exception, std::string(to_string(e.kind())) + ": " + e.what()});
    return;
  }
  out.push_back({"error", exception, "no error"});
}

int walk_components(const std::string& area, const std::vector<std::string>& chosen,
                    const std::function<std::vector<Mismatch>(const ComponentCase&)>& run) {
  return walk(area, chosen, [&](const Dict& whole, Differences& differences) {
    static const Tensors tensors = load_tensors(area);
    const Value* note = whole.find("note");
    const ComponentCase c{.name = whole.at("name").as<std::string>(),
                          .group = whole.at("group").as<std::string>(),
                          .api = whole.at("api").as<std::string>(),
                          .args = whole.at("args").as<Dict>(),
                          .inputs = whole.at("inputs"),
                          .outputs = whole.at("outputs"),
                          .tolerance = tolerance_of(whole.at("tolerance")),
                          .note = note ? note->as<std::string>() : "",
                          .tensors = &tensors};
    Problems problems = unexcused(run(c), whole, differences);
    // States of any kind have fields of their own, all of which are compared.
    const bool whole_state = c.group == "state" || c.api.ends_with("MeanCov.from_samples");
    if (whole_state) return problems;
    for (auto& unknown :
         unknown_outputs(c.outputs.as<Dict>(),
                         {"values", "state", "loss", "total", "grad", "states", "merged",
                          "loss_of_empty", "exception", "value", "each", "count", "total_dtype",
                          "after_empty", "shape", "header_rows", "first_row", "below_header"})) {
      problems.push_back(unknown);
    }
    return problems;
  });
}

}  // namespace golden
