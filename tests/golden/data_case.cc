// Parts of cases of the area data.
#include "tests/golden/data_case.h"

#include <stdexcept>

#include "kd/data/engine/value_tree.h"
#include "tests/golden/compare.h"

namespace golden {

using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

std::uint64_t unsigned_of(const Value& value) {
  if (auto* text = value.get_if<std::string>()) return std::stoull(*text);
  if (auto* big = value.get_if<konfig::BigInt>()) return std::stoull(big->digits);
  return static_cast<std::uint64_t>(value.as<std::int64_t>());
}

std::vector<std::uint64_t> unsigned_list(const Value& list) {
  std::vector<std::uint64_t> out;
  for (const Value& value : list.as<List>()) out.push_back(unsigned_of(value));
  return out;
}

std::optional<std::int64_t> integer_or_none(const Dict& args, const char* name) {
  auto* value = args.find(name);
  if (!value || value->is_none()) return {};
  return value->as<std::int64_t>();
}

bool flag_of(const Dict& args, const char* name, bool otherwise) {
  auto* value = args.find(name);
  return value ? value->as<bool>() : otherwise;
}

Tree input_of(const DataCase& c, const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (dict && dict->find("tensor")) return tensor_of(*dict, c.tensors);
  if (!dict) return kd::data::tree_of(value);
  Tree out = Tree::dict();
  for (auto& [name, part] : *dict) out[name.as<std::string>()] = input_of(c, part);
  return out;
}

Tree inputs_of(const DataCase& c) { return input_of(c, Value(c.inputs)); }

void expect_same(Problems& problems, const std::string& what, const Value& ours,
                 const Value& wanted) {
  if (!(ours == wanted)) {
    problems.push_back(what + ": ours " + show(ours) + ", wanted " + show(wanted));
  }
}

void expect_tree(Problems& problems, const std::string& what, const Tree& ours, const Value& wanted,
                 const DataCase& c) {
  if (wanted.is<Dict>() && !wanted.as<Dict>().find("tensor")) {
    std::size_t known = 0;
    for (auto& [name, part] : wanted.as<Dict>()) {
      auto* child = ours.find(name.as<std::string>());
      if (!child) {
        problems.push_back(what + ": '" + name.as<std::string>() + "' is missing");
        continue;
      }
      ++known;
      expect_tree(problems, what + "/" + name.as<std::string>(), *child, part, c);
    }
    if (known != ours.size()) problems.push_back(what + ": there are elements too many");
    return;
  }
  if (auto* text = wanted.get_if<std::string>()) {
    if (ours.kind() != Tree::Kind::texts || ours.texts() != Tree::Texts{*text}) {
      problems.push_back(what + ": wanted the text " + *text);
    }
    return;
  }
  if (!ours.is_tensor()) {
    problems.push_back(what + ": ours is no tensor");
    return;
  }
  const Tree expected = input_of(c, wanted);
  std::string differs = difference(ours.tensor(), expected.tensor(), c.tolerance);
  if (!differs.empty()) problems.push_back(what + ": " + differs);
}

List list_of(const std::vector<std::int64_t>& values) {
  List out;
  for (std::int64_t value : values) out.push_back(value);
  return out;
}

}  // namespace golden
