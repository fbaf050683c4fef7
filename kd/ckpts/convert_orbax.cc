// The state in a checkpoint that Orbax wrote: _METADATA says how arrays make up a tree, and they
// are in a store.
#include <map>
#include <vector>

#include "base/join.h"
#include "kd/ckpts/engine/convert.h"
#include "kd/core/durable.h"
#include "kd/io/ocdbt.h"
#include "kd/io/zarr.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::ckpts {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr const char* kMetadata = "_METADATA";
constexpr std::int64_t kInList = 1;  // the kind of a key; 2: in a dict

struct Key {
  std::string name;
  bool in_list = false;
};
// An array, an empty container or None, and where it is.
struct Leaf {
  std::vector<Key> path;
  std::string type;  // "jax.Array", "None", ...
};

std::string path_text(const std::vector<Key>& path) {
  std::vector<std::string> names;
  for (const Key& key : path) names.push_back(key.name);
  return base::join(names, ".");
}

std::vector<Leaf> leaves_of(const Dict& metadata) {
  std::vector<Leaf> out;
  for (auto& [unused, entry] : metadata.at("tree_metadata").as<Dict>()) {
    Leaf leaf;
    for (const Value& part : entry.as<Dict>().at("key_metadata").as<konfig::List>()) {
      const Dict& key = part.as<Dict>();
      leaf.path.push_back(
          {key.at("key").as<std::string>(), key.at("key_type").as<std::int64_t>() == kInList});
    }
    const Dict& value = entry.as<Dict>().at("value_metadata").as<Dict>();
    leaf.type = value.at("value_type").as<std::string>();
    out.push_back(std::move(leaf));
  }
  return out;
}

Tree tree_of_leaf(const Leaf& leaf, const io::ZarrStore& store) {
  if (leaf.type == "None") return {};
  if (leaf.type == "Dict") return Tree::dict();
  if (leaf.type == "List" || leaf.type == "Tuple") return Tree::list();
  if (leaf.type == "jax.Array" || leaf.type == "np.ndarray" || leaf.type == "scalar") {
    return Tree(io::read_zarr(store, path_text(leaf.path)));
  }
  throw Error(ErrorKind::unsupported,
              path_text(leaf.path) + ": values of type '" + leaf.type +
                  "' are not read, only arrays, numbers, None and empty containers");
}

[[noreturn]] void contradictory(const Leaf& leaf) {
  throw Error(ErrorKind::value,
              "the paths contradict each other at '" + path_text(leaf.path) + "'");
}

// The tree of leaves whose paths are equal up to `depth`.
Tree tree_at(const std::vector<const Leaf*>& leaves, std::size_t depth,
             const io::ZarrStore& store) {
  const Leaf& first = *leaves.front();
  if (depth > konfig::kMaxDepth) throw Error(ErrorKind::value, "it is nested too deep");
  if (first.path.size() == depth) {
    if (leaves.size() > 1) contradictory(first);
    return tree_of_leaf(first, store);
  }
  const bool list = first.path[depth].in_list;
  std::vector<std::string> names;  // in the order of the file
  std::map<std::string, std::vector<const Leaf*>> groups;
  for (const Leaf* leaf : leaves) {
    if (leaf->path.size() <= depth || leaf->path[depth].in_list != list) contradictory(*leaf);
    auto& group = groups[leaf->path[depth].name];
    if (group.empty()) names.push_back(leaf->path[depth].name);
    group.push_back(leaf);
  }
  Tree out = list ? Tree::list() : Tree::dict();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = list ? std::to_string(i) : names[i];
    auto group = groups.find(name);
    if (group == groups.end()) contradictory(first);
    Tree child = tree_at(group->second, depth + 1, store);
    if (list) {
      out.push_back(std::move(child));
    } else {
      out[name] = std::move(child);
    }
  }
  return out;
}

// The folder with _METADATA: the one given, or Kauldron's `default` within; "" if there is none.
fs::path find_state(const fs::path& folder) {
  for (const fs::path& place : {folder, folder / "default"}) {
    if (fs::exists(place / kMetadata)) return place;
  }
  return {};
}

fs::path state_folder(const fs::path& folder) {
  if (fs::path found = find_state(folder); !found.empty()) return found;
  throw Error(
      ErrorKind::value,
      folder.string() + ": neither it nor 'default' within has a " + kMetadata +
          "; give the folder of one of Kauldron's checkpoints, such as checkpoints/ckpt_500");
}

io::ZarrStore store_of(const fs::path& folder, const Dict& metadata) {
  const Value* one_store = metadata.find("use_ocdbt");
  if (one_store && one_store->as<bool>()) {
    return [values = io::read_ocdbt(folder)](const std::string& key) -> std::optional<io::Bytes> {
      auto found = values.find(key);
      if (found == values.end()) return {};
      return found->second;
    };
  }
  return [folder](const std::string& key) -> std::optional<io::Bytes> {
    if (!fs::exists(folder / key)) return {};
    return io::map_file(folder / key);
  };
}

}  // namespace

bool is_orbax(const fs::path& folder) { return !find_state(folder).empty(); }

Tree from_orbax(const fs::path& folder) {
  const fs::path place = state_folder(folder);
  try {
    const Value json = konfig::parse_json(read_file(place / kMetadata));
    const Dict& metadata = json.as<Dict>();
    const std::vector<Leaf> leaves = leaves_of(metadata);
    if (leaves.empty()) return Tree::dict();
    std::vector<const Leaf*> all;
    for (const Leaf& leaf : leaves) all.push_back(&leaf);
    return tree_at(all, 0, store_of(place, metadata));
  } catch (const Error& error) {
    throw Error(error.kind(), place.string() + ": " + error.what());
  }
}

}  // namespace kd::ckpts
