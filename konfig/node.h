// What a ConfigDict handle points to, and how values get in and out of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/key_index.h"
#include "konfig/reference.h"
#include "konfig/value.h"

namespace konfig {

namespace detail {

// Empties `values` without recursion, however deep they nest; for destructors.
void dispose(std::vector<Value>& values);

// Storage of sequences and maps. Like Node, they are destroyed without recursion, however deep.
struct Items {
  std::vector<Value> values;
  ~Items();
};
struct Pairs {
  std::vector<Dict::Pair> values;
  ~Pairs();
  const Value* find(const Value& key) const;
  void set(Value key, Value value);

 private:
  KeyIndex index_;  // text keys, once there are many
};

// Counts nesting; too deep is an Error, so that no input can exhaust the stack.
class DepthGuard {
 public:
  explicit DepthGuard(int& depth);
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

}  // namespace detail

struct Node {
  struct Entry {
    std::string key;  // as in JSON: non-text keys are encoded ("__raw__=0")
    Value value;      // a Reference stays a Reference here
  };

  std::vector<Entry> entries;  // in order of insertion
  bool locked = false;
  bool type_safe = true;

  ~Node();
  const Entry* find(std::string_view key) const;
  Entry* find(std::string_view key);
  void append(std::string key, Value value);
  void erase(std::string_view key);
  std::size_t num_args() const;
  bool is_call() const { return find(kQualname) != nullptr; }
  bool is_const() const { return find(kConst) != nullptr; }

  // The value of an entry with references followed; cycles are errors.
  Value read(const Entry& entry) const;

  static const std::shared_ptr<Node>& of(const ConfigDict& cfg) { return cfg.node_; }
  static ConfigDict handle(std::shared_ptr<Node> node, std::shared_ptr<Node> owner = nullptr) {
    return ConfigDict(std::move(node), std::move(owner));
  }
  // `value` as it is stored: without the owner that a handle may carry.
  static Value stored(const Value& value);
  // `value` as it is handed out through `from`, which keeps its whole config alive.
  static Value handed_out(const Value& value, const ConfigDict& from);

 private:
  void reindex();
  detail::KeyIndex index_;  // once there are many entries
};

namespace detail {

// Keys between their stored text and what the user sees.
std::string encode_key(const Value& key);
std::string encode_key(const Value& key, const Node& node, bool may_append);  // arguments by index
Value decode_key(const std::string& stored);
// The position a key such as "0" names, when it is below `num_args`.
std::optional<std::size_t> argument_index(const std::string& key, std::size_t num_args);

// A value as a config stores it: maps become nodes, sequences are copied, `__id__`s are followed.
// Anything a config cannot hold is an Error with the location.
Value normalise(const Value& value, const std::string& path);

// The field types of the overwrite rules.
enum class Tag {
  none,
  boolean,
  integer,
  number,
  text,
  list,
  tuple,
  dict,
  set,
  frozenset,
  bytes,
  path,
  slice,
  ellipsis,
  other
};
Tag tag_of(const Value&);
std::string_view to_string(Tag);
// `value` as a field of type `type` takes it, or an Error naming `key`.
Value coerce(Tag type, const Value& value, std::string_view key);

}  // namespace detail
}  // namespace konfig
