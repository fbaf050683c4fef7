// ConfigDict: an experiment as data, mutable, ordered and printable, until `resolve` makes objects.
//
//   ConfigDict cfg = call("optax:adam", {{"learning_rate", 0.003}});
//   cfg["learning_rate"] = 1e-4;
//   cfg["decay"] = cfg.ref("learning_rate") * 10;   // follows later changes
//   std::cout << cfg << to_json(cfg);
//
// A ConfigDict is a handle to a node, as in Python: copies are the same node, and a node stored in
// two places is one node (it prints with an anchor and resolves to one object). `copy()` makes an
// independent config. A node is a call (`__qualname__`), a constant (`__const__`) or a plain dict.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace konfig {

class Value;
class Dict;
class Item;
class Reference;
struct Node;  // konfig/node.h

inline constexpr std::string_view kQualname = "__qualname__";
inline constexpr std::string_view kConst = "__const__";
inline constexpr std::string_view kId = "__id__";

class ConfigDict {
 public:
  ConfigDict();
  ConfigDict(std::initializer_list<std::pair<std::string_view, Value>> entries);
  explicit ConfigDict(const Dict& data);  // nested Dicts become nodes; `__id__` restores sharing

  // ---- Reading. A missing key is an Error that names the nearest one.
  Item operator[](std::string_view key) const;
  Item operator[](const char* key) const;
  Item operator[](int index) const;  // call nodes: positional argument (-1 is the last)
  Value get(const Value& key) const;
  Value get(const Value& key, const Value& otherwise) const;
  bool contains(const Value& key) const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  std::vector<Value> keys() const;
  std::vector<std::pair<Value, Value>> items() const;  // references followed

  // ---- Writing. An existing field keeps its type: see docs/konfig.md.
  void set(const Value& key, const Value& value);
  void erase(const Value& key);
  void update(const ConfigDict& other);  // merges recursively
  void update(const Dict& other);
  void lock();  // no new keys here and below; existing ones stay writable
  void unlock();
  bool locked() const;

  // Turns type checks off, here and below, while it lives.
  class IgnoreType {
   public:
    explicit IgnoreType(const ConfigDict&);
    ~IgnoreType();
    IgnoreType(const IgnoreType&) = delete;
    IgnoreType& operator=(const IgnoreType&) = delete;

   private:
    std::vector<std::pair<std::shared_ptr<Node>, bool>> changed_;
  };
  [[nodiscard]] IgnoreType ignore_type() const { return IgnoreType(*this); }

  // ---- References: late-bound values (konfig/reference.h).
  Reference ref() const;  // the node itself
  Reference ref(const Value& key) const;
  Reference get_ref(const Value& key);         // two-way: both fields become one cell
  Reference get_oneway_ref(const Value& key);  // follows the field, never writes to it

  // ---- Copies.
  ConfigDict copy() const;                // deep; keeps sharing, references follow the copy
  ConfigDict shallow_copy() const;        // children are shared, references follow the original
  ConfigDict without_references() const;  // deep, every reference replaced by its value
  Dict to_dict() const;                   // nested plain maps; nodes inside lists stay nodes

  // ---- Call and constant nodes.
  bool is_call() const;
  bool is_const() const;
  std::string qualname() const;  // of either kind; "" for a plain node
  std::size_t num_args() const;  // consecutive keys "0", "1", ...

  bool same(const ConfigDict& other) const { return node_ == other.node_; }
  friend bool operator==(const ConfigDict&, const ConfigDict&);
  friend std::ostream& operator<<(std::ostream&, const ConfigDict&);

 private:
  friend struct Node;
  explicit ConfigDict(std::shared_ptr<Node> node, std::shared_ptr<Node> owner = nullptr)
      : node_(std::move(node)), owner_(std::move(owner)) {}
  std::shared_ptr<Node> node_;
  // The config this handle was reached through: keeps the targets of references alive while only a
  // part of a config is held. Never set inside a stored value.
  std::shared_ptr<Node> owner_;
};

// cfg | other: a merged copy.
ConfigDict operator|(const ConfigDict& cfg, const ConfigDict& other);

// A call node `qualname(*args, **kwargs)` and a constant node.
ConfigDict call(std::string_view qualname,
                std::initializer_list<std::pair<std::string_view, Value>> kwargs = {});
ConfigDict call(std::string_view qualname, std::vector<Value> args,
                std::initializer_list<std::pair<std::string_view, Value>> kwargs = {});
ConfigDict constant(std::string_view qualname);

// One field of a config: reads as its value, writes through the config's checks.
class Item {
 public:
  Value get() const;
  template <class T>
  T as() const;  // get().as<T>(), a copy

  const Item& operator=(const Value& value) const;
  const Item& operator=(const Item& other) const;
  Item operator[](std::string_view key) const;
  Item operator[](const char* key) const;
  Item operator[](int index) const;
  Reference ref() const;

  const ConfigDict& parent() const { return parent_; }
  const std::vector<Value>& path() const { return path_; }  // below parent

 private:
  friend class ConfigDict;
  Item(ConfigDict parent, std::vector<Value> path);
  Item child(Value key) const;
  ConfigDict parent_;
  std::vector<Value> path_;  // more than one step inside lists
};

}  // namespace konfig
