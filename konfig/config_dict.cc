// ConfigDict: reading, writing, merging, comparing.
#include "konfig/config_dict.h"

#include <ostream>
#include <set>
#include <unordered_set>

#include "base/join.h"
#include "konfig/arithmetic.h"
#include "konfig/expr_impl.h"
#include "konfig/node.h"
#include "konfig/print.h"
#include "konfig/suggest.h"

namespace konfig {
namespace {

using detail::Expr;
using detail::Tag;

std::vector<std::string> key_texts(const Node& node) {
  std::vector<std::string> out;
  for (auto& e : node.entries) out.push_back(e.key);
  return out;
}

[[noreturn]] void fail_missing(const Node& node, const std::string& key) {
  const auto keys = key_texts(node);
  throw Error(ErrorKind::key, key,
              "no such key" + did_you_mean(key, keys, 0.75) + " (there are: " +
                  shorten(keys.empty() ? "none" : base::join(keys, ", "), 200) + ")");
}

// Writes `value` to an existing field under the rules for overwriting.
void assign(const Node& node, Node::Entry& entry, Value value) {
  auto* incoming = value.get_if<Reference>();
  auto* incoming_cell = incoming ? incoming->expr()->cell.get() : nullptr;
  if (auto* existing = entry.value.get_if<Reference>()) {
    const auto& expr = *existing->expr();
    if (expr.kind == Expr::Kind::cell && incoming_cell == expr.cell.get()) {
      throw Error(ErrorKind::cycle, entry.key, "a reference to the field itself");
    }
    if (incoming || !expr.cell) {
      entry.value = std::move(value);  // an expression takes any value and is replaced by it
      return;
    }
    if (node.type_safe && expr.cell->type)
      value = detail::coerce(*expr.cell->type, value, entry.key);
    (expr.kind == Expr::Kind::cell ? expr.cell->value : entry.value) = std::move(value);
    return;
  }
  if (node.type_safe) {
    auto type = detail::tag_of(entry.value);
    if (!incoming) {
      value = detail::coerce(type, value, entry.key);
    } else if (incoming_cell && incoming_cell->type && type != Tag::none &&
               type != *incoming_cell->type) {
      throw Error(ErrorKind::type, entry.key,
                  "the field holds " + std::string(to_string(type)) + " and cannot refer to " +
                      std::string(to_string(*incoming_cell->type)));
    }
  }
  entry.value = std::move(value);
}

// Calls `visit` on this node and every node below it that is stored directly, each once.
template <class Visit>
void for_each_node(const std::shared_ptr<Node>& root, Visit visit) {
  std::vector<std::shared_ptr<Node>> pending{root};
  std::unordered_set<const Node*> seen;
  while (!pending.empty()) {
    auto node = std::move(pending.back());
    pending.pop_back();
    if (!seen.insert(node.get()).second) continue;
    visit(node);
    for (auto& e : node->entries) {
      if (auto* child = e.value.get_if<ConfigDict>()) pending.push_back(Node::of(*child));
    }
  }
}

}  // namespace

// ---- Reading ------------------------------------------------------------------------------------

Item ConfigDict::operator[](std::string_view key) const { return Item(*this, {Value(key)}); }
Item ConfigDict::operator[](const char* key) const { return Item(*this, {Value(key)}); }
Item ConfigDict::operator[](int index) const { return Item(*this, {Value(index)}); }

Value ConfigDict::get(const Value& key) const {
  auto stored = detail::encode_key(key, *node_, /*may_append=*/false);
  auto* entry = node_->find(stored);
  if (!entry) fail_missing(*node_, stored);
  return Node::handed_out(node_->read(*entry), *this);
}

Value ConfigDict::get(const Value& key, const Value& otherwise) const {
  auto* entry = node_->find(detail::encode_key(key));
  return entry ? Node::handed_out(node_->read(*entry), *this) : otherwise;
}

bool ConfigDict::contains(const Value& key) const { return node_->find(detail::encode_key(key)); }
std::size_t ConfigDict::size() const { return node_->entries.size(); }

std::vector<Value> ConfigDict::keys() const {
  std::vector<Value> out;
  for (auto& e : node_->entries) out.push_back(detail::decode_key(e.key));
  return out;
}

std::vector<std::pair<Value, Value>> ConfigDict::items() const {
  std::vector<std::pair<Value, Value>> out;
  for (auto& e : node_->entries) {
    out.emplace_back(detail::decode_key(e.key), Node::handed_out(node_->read(e), *this));
  }
  return out;
}

bool ConfigDict::is_call() const { return node_->is_call(); }
bool ConfigDict::is_const() const { return node_->is_const(); }
std::size_t ConfigDict::num_args() const { return node_->num_args(); }

std::string ConfigDict::qualname() const {
  auto* entry = node_->find(is_const() ? kConst : kQualname);
  if (!entry) return "";
  auto name = node_->read(*entry);
  auto* text = name.get_if<std::string>();
  return text ? *text : name.repr();
}

// ---- Writing ------------------------------------------------------------------------------------

void ConfigDict::set(const Value& key, const Value& value) {
  auto stored = detail::encode_key(key, *node_, /*may_append=*/true);
  auto normal = detail::normalise(value, stored);
  if (auto* entry = node_->find(stored)) {
    assign(*node_, *entry, std::move(normal));
    return;
  }
  if (node_->locked) {
    const auto keys = key_texts(*node_);
    throw Error(ErrorKind::key, stored,
                "the config is locked, no key can be added" + did_you_mean(stored, keys) +
                    " (there are: " + shorten(base::join(keys, ", "), 200) + ")");
  }
  node_->append(std::move(stored), std::move(normal));
}

void ConfigDict::erase(const Value& key) {
  auto stored = detail::encode_key(key, *node_, /*may_append=*/false);
  if (!node_->find(stored)) fail_missing(*node_, stored);
  node_->erase(stored);
}

namespace {

// Pairs of nodes that an operation has dealt with or is dealing with: with nested sharing the
// number of paths grows without bound, the number of pairs does not. The nodes are kept alive, so
// that no other one can take the address of a temporary.
class PairsOnce {
 public:
  bool first_time(const ConfigDict& a, const ConfigDict& b) {
    return seen_.emplace(Node::of(a), Node::of(b)).second;
  }
  int depth = 0;

 private:
  std::set<std::pair<std::shared_ptr<Node>, std::shared_ptr<Node>>> seen_;
};

void merge(ConfigDict& self, const ConfigDict& other, PairsOnce& pairs);
void merge(ConfigDict& self, const Dict& other, PairsOnce& pairs);

// One key of `update`: nodes are merged, everything else is assigned.
void merge_key(ConfigDict& self, const std::string& key, const Value& value, PairsOnce& pairs) {
  auto* entry = Node::of(self)->find(key);
  if (entry && entry->value.is<ConfigDict>()) {
    auto child = entry->value.as<ConfigDict>();
    auto* ref = value.get_if<Reference>();
    auto source = ref ? ref->get() : value;
    if (auto* cfg = source.get_if<ConfigDict>()) return merge(child, *cfg, pairs);
    if (auto* dict = source.get_if<Dict>()) return merge(child, *dict, pairs);
    throw Error(ErrorKind::type, key,
                "is a config and cannot be updated with " + shorten(source.repr(), 40) +
                    "; give a map, or assign it");
  }
  if (entry && entry->value.is<Reference>() && value.is<Reference>()) {
    throw Error(ErrorKind::type, key,
                "holds a reference and cannot be updated from another reference");
  }
  self.set(key, value);
}

void merge(ConfigDict& self, const ConfigDict& other, PairsOnce& pairs) {
  detail::DepthGuard guard(pairs.depth);
  if (!pairs.first_time(self, other)) return;
  auto entries = Node::of(other)->entries;  // a copy: updating a config with itself is fine
  for (auto& e : entries) merge_key(self, e.key, e.value, pairs);
}

void merge(ConfigDict& self, const Dict& other, PairsOnce& pairs) {
  detail::DepthGuard guard(pairs.depth);
  for (auto& [k, value] : other) merge_key(self, detail::encode_key(k), value, pairs);
}

}  // namespace

void ConfigDict::update(const ConfigDict& other) {
  PairsOnce pairs;
  merge(*this, other, pairs);
}

void ConfigDict::update(const Dict& other) {
  PairsOnce pairs;
  merge(*this, other, pairs);
}

ConfigDict operator|(const ConfigDict& cfg, const ConfigDict& other) {
  auto out = cfg.copy();
  out.update(other);
  return out;
}

void ConfigDict::lock() {
  for_each_node(node_, [](auto& node) { node->locked = true; });
}
void ConfigDict::unlock() {
  for_each_node(node_, [](auto& node) { node->locked = false; });
}
bool ConfigDict::locked() const { return node_->locked; }

ConfigDict::IgnoreType::IgnoreType(const ConfigDict& cfg) {
  for_each_node(cfg.node_, [&](auto& node) {
    changed_.emplace_back(node, node->type_safe);
    node->type_safe = false;
  });
}
ConfigDict::IgnoreType::~IgnoreType() {
  for (auto& [node, type_safe] : changed_) node->type_safe = type_safe;
}

// ---- References ---------------------------------------------------------------------------------

Reference ConfigDict::ref() const {
  return detail::make_reference({.kind = Expr::Kind::root, .root = node_});
}
Reference ConfigDict::ref(const Value& key) const { return ref().item(key); }

Reference ConfigDict::get_ref(const Value& key) {
  auto stored = detail::encode_key(key, *node_, /*may_append=*/false);
  auto* entry = node_->find(stored);
  if (!entry) fail_missing(*node_, stored);
  auto* existing = entry->value.get_if<Reference>();
  if (existing && existing->expr()->kind == Expr::Kind::cell) return *existing;
  if (entry->value.is_none()) {
    throw Error(ErrorKind::value, stored,
                "is None, and a cell cannot take its type from None; use placeholder");
  }
  auto cell = std::make_shared<detail::Cell>();
  if (!existing) cell->type = detail::tag_of(entry->value);
  cell->value = entry->value;
  entry->value = detail::make_reference({.kind = Expr::Kind::cell, .cell = cell});
  return entry->value.as<Reference>();
}

Reference ConfigDict::get_oneway_ref(const Value& key) {
  return detail::make_reference({.kind = Expr::Kind::oneway, .cell = get_ref(key).expr()->cell});
}

// ---- Comparison, printing -----------------------------------------------------------------------

bool operator==(const ConfigDict& a, const ConfigDict& b) {
  if (a.node_ == b.node_) return true;
  // Comparing nodes leads back here through their values; a pair met again is equal unless a
  // difference turns up elsewhere.
  static thread_local PairsOnce* comparing = nullptr;
  PairsOnce own;
  auto* outer = comparing;
  if (!outer) comparing = &own;
  struct Restore {
    PairsOnce* outer;
    ~Restore() { comparing = outer; }
  } restore{outer};
  detail::DepthGuard guard(comparing->depth);
  if (!comparing->first_time(a, b)) return true;
  const Node &x = *a.node_, &y = *b.node_;
  if (x.entries.size() != y.entries.size() || x.locked != y.locked || x.type_safe != y.type_safe) {
    return false;
  }
  for (auto& e : x.entries) {
    auto* other = y.find(e.key);
    if (!other || !detail::equal(x.read(e), y.read(*other))) return false;
  }
  return true;
}

std::ostream& operator<<(std::ostream& out, const ConfigDict& cfg) { return out << repr(cfg); }

// ---- Item ---------------------------------------------------------------------------------------

Item::Item(ConfigDict parent, std::vector<Value> path)
    : parent_(std::move(parent)), path_(std::move(path)) {}

namespace {
// "a[0]", for error texts.
std::string text(const std::vector<Value>& path) {
  std::string out;
  for (auto& key : path) {
    auto* name = key.get_if<std::string>();
    out = join_path(out, name ? *name : "[" + key.repr() + "]");
  }
  return out;
}
}  // namespace

Value Item::get() const {
  Value v = parent_.get(path_.front());
  for (std::size_t i = 1; i < path_.size(); ++i) v = detail::get_item(v, path_[i]);
  if (auto* ref = v.get_if<Reference>()) v = ref->get();
  return Node::handed_out(v, parent_);
}

const Item& Item::operator=(const Item& other) const { return *this = other.get(); }

const Item& Item::operator=(const Value& value) const {
  if (path_.size() == 1) {
    ConfigDict(parent_).set(path_.front(), value);
    return *this;
  }
  Value container = Item(parent_, {path_.begin(), path_.end() - 1}).get();
  auto* list = container.get_if<List>();
  if (!list) {
    throw Error(ErrorKind::type, text(path_),
                "a " + std::string(container.type_name()) +
                    " cannot be changed in part; assign a whole new one");
  }
  auto i = path_.back().as<std::int64_t>();
  auto n = static_cast<std::int64_t>(list->size());
  if (i < -n || i >= n) {
    throw Error(ErrorKind::index, text(path_), "the list has " + std::to_string(n) + " element(s)");
  }
  List(*list).set(static_cast<std::size_t>(i < 0 ? i + n : i),
                  detail::normalise(value, text(path_)));
  return *this;
}

Item Item::child(Value key) const {
  Value v = get();
  if (auto* cfg = v.get_if<ConfigDict>()) return Item(*cfg, {std::move(key)});
  auto path = path_;
  path.push_back(std::move(key));
  return Item(parent_, std::move(path));
}
Item Item::operator[](std::string_view key) const { return child(Value(key)); }
Item Item::operator[](const char* key) const { return child(Value(key)); }
Item Item::operator[](int index) const { return child(Value(index)); }

Reference Item::ref() const {
  auto ref = parent_.ref();
  for (auto& key : path_) ref = ref.item(key);
  return ref;
}

}  // namespace konfig
