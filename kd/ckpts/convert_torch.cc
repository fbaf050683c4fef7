// Parameters of PyTorch under Flax's names.
#include <algorithm>
#include <cctype>

#include "kd/ckpts/engine/convert.h"
#include "konfig/error.h"

namespace kd::ckpts {

using konfig::Error;
using konfig::ErrorKind;

namespace {

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> out(1);
  for (char c : name) c == '.' ? void(out.emplace_back()) : out.back().push_back(c);
  return out;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "layers", "0" are one name: "layers_0".
std::vector<std::string> joined_numbers(const std::vector<std::string>& parts) {
  std::vector<std::string> out;
  for (const std::string& part : parts) {
    if (is_number(part) && !out.empty()) {
      out.back() += "_" + part;
    } else {
      out.push_back(is_number(part) ? "layers_" + part : part);
    }
  }
  return out;
}

void put(Tree& tree, const std::vector<std::string>& path, const Tensor& tensor,
         const std::string& name) {
  Tree* at = &tree;
  for (const std::string& part : path) {
    if (at->is_tensor()) throw Error(ErrorKind::value, "'" + name + "' lies below another tensor");
    at = &(*at)[part];
  }
  if (!at->is_none())
    throw Error(ErrorKind::value, "two tensors would be called like '" + name + "'");
  *at = Tree(tensor);
}

// By its name: the weights of an embedding and of a linear layer both have two axes.
bool is_embedding(const std::vector<std::string>& path) {
  if (path.size() < 2) return false;
  const std::string& name = path[path.size() - 2];
  return name.find("embed") != name.npos || name.starts_with("emb") || name.ends_with("_emb") ||
         name == "wte" || name == "wpe";
}

}  // namespace

Tree from_names(const io::TensorMap& tensors) {
  Tree out = Tree::dict();
  for (auto& [name, tensor] : tensors) put(out, split(name), tensor, name);
  return out;
}

Tree from_torch(const io::TensorMap& tensors) {
  Tree params = Tree::dict(), stats = Tree::dict();
  for (auto& [name, stored] : tensors) {
    std::vector<std::string> path = joined_numbers(split(name));
    Tensor tensor = stored;
    std::string& last = path.back();
    if (last == "num_batches_tracked") continue;
    if (last == "running_mean" || last == "running_var") {
      last = last.substr(8);
      put(stats, path, tensor, name);
      continue;
    }
    if (last == "weight" && is_embedding(path)) {
      last = "embedding";
    } else if (last == "weight" && tensor.dim() == 1) {
      last = "scale";
    } else if (last == "weight") {
      last = "kernel";
      if (tensor.dim() == 2) tensor = tensor.t();
      if (tensor.dim() == 3) tensor = tensor.permute({2, 1, 0});
      if (tensor.dim() == 4) tensor = tensor.permute({2, 3, 1, 0});
    }
    put(params, path, tensor.contiguous(), name);
  }
  Tree collections = Tree::dict();
  if (!stats.empty()) collections["batch_stats"] = stats;
  return Tree::dict({{"params", params}, {"collections", collections}});
}

}  // namespace kd::ckpts
