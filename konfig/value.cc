// Value and its containers.
#include "konfig/value.h"

#include <algorithm>

#include "konfig/arithmetic.h"
#include "konfig/node.h"
#include "konfig/print.h"

namespace konfig {

namespace detail {
namespace {

// Destructors hand their children over to the outermost one, which frees them in a loop.
thread_local std::vector<Value>* trash = nullptr;

template <class Container, class Take>
void dispose_of(Container& values, Take take) {
  if (values.empty()) return;
  if (trash) {
    for (auto& v : values) take(v, *trash);
    return;
  }
  std::vector<Value> pending;
  trash = &pending;
  for (auto& v : values) take(v, pending);
  while (!pending.empty()) {
    Value last = std::move(pending.back());
    pending.pop_back();
  }
  trash = nullptr;
}

// Scalars need no detour.
void keep_container(Value& v, std::vector<Value>& out) {
  if (v.is<List>() || v.is<Tuple>() || v.is<ConfigDict>() || v.is<Dict>() || v.is<Set>() ||
      v.is<Reference>() || v.is<Object>()) {
    out.push_back(std::move(v));
  }
}

}  // namespace

void dispose(std::vector<Value>& values) { dispose_of(values, keep_container); }

Items::~Items() { dispose(values); }
const std::shared_ptr<Items>& storage(const Sequence& sequence) { return sequence.items_; }
Pairs::~Pairs() {
  dispose_of(values, [](Dict::Pair& p, std::vector<Value>& out) { keep_container(p.second, out); });
}

const Value* Pairs::find(const Value& key) const {
  if (auto* text = key.get_if<std::string>(); text && !index_.empty()) {
    auto* at = index_.find(*text);
    return at ? &values[*at].second : nullptr;
  }
  for (auto& [k, v] : values) {
    if (k == key) return &v;
  }
  return nullptr;
}

void Pairs::set(Value key, Value value) {
  if (auto* old = find(key)) {
    *const_cast<Value*>(old) = std::move(value);
    return;
  }
  values.emplace_back(std::move(key), std::move(value));
  if (values.size() < KeyIndex::kWorthwhile) return;
  for (auto i = index_.empty() ? 0 : values.size() - 1; i < values.size(); ++i) {
    if (auto* text = values[i].first.get_if<std::string>()) index_.add(*text, i);
  }
}

DepthGuard::DepthGuard(int& depth) : depth_(depth) {
  if (++depth_ > kMaxDepth) {
    --depth_;
    throw Error(ErrorKind::cycle, "nested deeper than " + std::to_string(kMaxDepth) +
                                      " levels (does the config contain itself?)");
  }
}

}  // namespace detail

Node::~Node() {
  detail::dispose_of(
      entries, [](Entry& e, std::vector<Value>& out) { detail::keep_container(e.value, out); });
}

// ---- Sequences ----------------------------------------------------------------------------------

Sequence::Sequence() : items_(std::make_shared<detail::Items>()) {}
Sequence::Sequence(std::initializer_list<Value> items) : Sequence(std::vector<Value>(items)) {}
Sequence::Sequence(std::vector<Value> items) : Sequence() { items_->values = std::move(items); }

std::size_t Sequence::size() const { return items_->values.size(); }
const Value& Sequence::operator[](std::size_t i) const {
  if (i >= size()) {
    throw Error(ErrorKind::index, "index " + std::to_string(i) + " is outside a sequence of " +
                                      std::to_string(size()));
  }
  return items_->values[i];
}
const Value* Sequence::begin() const { return items_->values.data(); }
const Value* Sequence::end() const { return items_->values.data() + items_->values.size(); }
void Sequence::push_back(Value v) { items_->values.push_back(Node::stored(v)); }
void Sequence::set(std::size_t i, Value v) {
  (*this)[i];  // checks the range
  items_->values[i] = Node::stored(v);
}

Set::Set(std::vector<Value> items, bool is_frozen) : frozen(is_frozen) {
  for (auto& v : items) {
    if (std::find(begin(), end(), v) == end()) push_back(std::move(v));
  }
}

// ---- Dict ---------------------------------------------------------------------------------------

Dict::Dict() : pairs_(std::make_shared<detail::Pairs>()) {}
Dict::Dict(std::initializer_list<Pair> pairs) : Dict() {
  for (auto& [k, v] : pairs) set(k, v);
}
std::size_t Dict::size() const { return pairs_->values.size(); }
const Dict::Pair* Dict::begin() const { return pairs_->values.data(); }
const Dict::Pair* Dict::end() const { return pairs_->values.data() + pairs_->values.size(); }

const Value* Dict::find(const Value& key) const { return pairs_->find(key); }
const Value& Dict::at(const Value& key) const {
  if (auto* v = find(key)) return *v;
  throw Error(ErrorKind::key, "no key " + key.repr() + " in " + shorten(Value(*this).repr(), 60));
}
void Dict::set(Value key, Value value) {
  if (frozen) {
    throw Error(ErrorKind::type, "an immutable map cannot be changed, here at " + key.repr() +
                                     "; konfig::unfreeze gives a copy that can");
  }
  pairs_->set(std::move(key), std::move(value));
}

// ---- Value --------------------------------------------------------------------------------------

Value::Value(const Item& item) : Value(item.get()) {}

Value Value::from_unsigned(std::uint64_t u) {
  if (u <= static_cast<std::uint64_t>(INT64_MAX)) return static_cast<std::int64_t>(u);
  return BigInt{std::to_string(u)};
}

// In the order of Value::Variant.
static constexpr std::string_view kTypeNames[] = {
    "NoneType",   "bool",           "int",  "float",  "str",   "list", "tuple",
    "ConfigDict", "FieldReference", "dict", "set",    "bytes", "int",  "complex",
    "ellipsis",   "slice",          "path", "symbol", "object"};
static_assert(std::size(kTypeNames) == std::variant_size_v<Value::Variant>);

std::string_view Value::type_name() const {
  if (auto* set = get_if<Set>(); set && set->frozen) return "frozenset";
  return kTypeNames[v_.index()];
}

std::string Value::repr() const { return konfig::repr(*this); }

void Value::fail_as(std::size_t wanted) const {
  throw Error(ErrorKind::type, "expected " + std::string(kTypeNames[wanted]) + ", got " +
                                   shorten(repr(), 40) + " of type " + std::string(type_name()));
}

bool operator==(const Value& a, const Value& b) { return detail::equal(a, b); }

}  // namespace konfig
