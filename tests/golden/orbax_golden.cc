// Golden test of the import of checkpoints that Kauldron wrote with Orbax: reads every folder of
// $KD_GOLDEN/orbax (by default the copy kept here) and compares structure, dtypes and values.
// Arguments: only folders whose name starts with one of them.
#include <ATen/ops/equal.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "kd/ckpts/engine/convert.h"
#include "kd/core/ops.h"
#include "kd/io/safetensors.h"
#include "konfig/json.h"
#include "tests/golden/tensors.h"

namespace golden {
namespace {

namespace fs = std::filesystem;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

fs::path area() { return fs::path(golden_folder()) / "orbax"; }

List folders() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(area())) {
    if (fs::exists(entry.path() / "values.json")) names.insert(entry.path().filename());
  }
  List out;
  for (const std::string& name : names) {
    out.push_back(Dict{{"name", name}, {"group", "checkpoint"}});
  }
  return out;
}

// The part at a path such as "opt_state/0/count"; nullptr where there is none.
const Tree* part_at(const Tree& tree, const std::string& path) {
  const auto slash = path.find('/');
  const std::string name = path.substr(0, slash);
  const Tree* next = nullptr;
  if (tree.has_names()) {
    next = tree.find(name);
  } else if (tree.kind() == Tree::Kind::list && std::stoul(name) < tree.size()) {
    next = &tree.child(std::stoul(name));
  }
  return slash == path.npos || !next ? next : part_at(*next, path.substr(slash + 1));
}

std::string problem_at(const Tree& ours, const std::string& path, const Value& dtype,
                       const kd::io::TensorMap& values) {
  const Tree* part = part_at(ours, path);
  if (!part) return path + " is missing";
  if (dtype.is_none()) return part->is_none() ? "" : path + " is not None";
  if (!part->is_tensor()) return path + " is not an array";
  const kd::Tensor& got = part->tensor();
  if (numpy_name(got.scalar_type()) != dtype.as<std::string>()) {
    return path + " has dtype " + numpy_name(got.scalar_type());
  }
  kd::Tensor wanted = values.at(path);
  if (got.dim() == 0 && wanted.numel() == 1) wanted = wanted.reshape({});  // numpy has them so
  const bool same =
      got.sizes() == wanted.sizes() && at::equal(got.to(wanted.scalar_type()), wanted);
  return same ? "" : path + " has other values";
}

Problems run(const Dict& c, Differences&) {
  const fs::path folder = area() / c.at("name").as<std::string>();
  const auto values = kd::io::load_safetensors(folder / "values.safetensors");
  const Value dtypes = konfig::parse_json(base::read_file(folder / "values.json"));
  Problems out;
  bool any = false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    any = true;
    const Tree ours = kd::ckpts::from_orbax(entry.path());
    std::size_t arrays = 0;
    for (auto& [path, dtype] : dtypes.as<Dict>()) {
      arrays += !dtype.is_none();
      const std::string problem = problem_at(ours, path.as<std::string>(), dtype, values);
      if (!problem.empty()) out.push_back(problem);
    }
    const std::size_t found = kd::flatten(ours).size();
    if (found != arrays) {
      out.push_back(std::to_string(found) + " arrays, not " + std::to_string(arrays));
    }
  }
  if (!any) out.push_back("there is no checkpoint");
  return out;
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  return golden::walk("orbax", {argv + 1, argv + argc}, golden::run, golden::folders);
}
