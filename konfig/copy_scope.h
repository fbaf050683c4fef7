// Copying a whole config: while a CopyScope lives, copies of Polys keep the graph of shared nodes,
// each shared node being copied once. Also the deep copy of the open dictionaries inside structs,
// which are handles and would otherwise stay shared.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "konfig/overlay.h"
#include "konfig/type.h"

namespace konfig::detail {

class CopyScope {
 public:
  CopyScope();
  ~CopyScope();
  CopyScope(const CopyScope&) = delete;
  CopyScope& operator=(const CopyScope&) = delete;

  static CopyScope* current();
  std::map<const Spec*, std::shared_ptr<Spec>> specs;
  std::vector<std::pair<ConfigDict, ConfigDict>> dicts;

 private:
  CopyScope* outer_;
};

// Copies a node by the rule of its sharing.
std::shared_ptr<Spec> copy_spec(const std::shared_ptr<Spec>& spec);
// An independent node with the same content.
std::shared_ptr<Spec> clone_spec(const Spec& spec);

// Gives the struct at `p` its own open dictionaries; does not enter Polys.
void own_dicts(const Type& type, void* p);
// An independent copy of a whole tree of typed values.
template <class T>
T copy_graph(const T& from) {
  CopyScope scope;
  T out(from);
  own_dicts(type_of<T>(), &out);
  return out;
}
// The value without handles to anyone else's containers.
Value deep_copy(const Value& value);

}  // namespace konfig::detail
