// Node: the entries of a config node, their keys and the rules for what a field accepts.
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/join.h"
#include "konfig/expr_impl.h"
#include "konfig/literal.h"
#include "konfig/node.h"
#include "konfig/print.h"
#include "konfig/registry.h"

namespace konfig {

const Node::Entry* Node::find(std::string_view key) const {
  if (!index_.empty()) {
    auto* at = index_.find(key);
    return at ? &entries[*at] : nullptr;
  }
  for (auto& e : entries) {
    if (e.key == key) return &e;
  }
  return nullptr;
}

Node::Entry* Node::find(std::string_view key) {
  return const_cast<Entry*>(std::as_const(*this).find(key));
}

void Node::append(std::string key, Value value) {
  entries.push_back({std::move(key), std::move(value)});
  if (entries.size() == detail::KeyIndex::kWorthwhile) {
    reindex();
  } else if (!index_.empty()) {
    index_.add(entries.back().key, entries.size() - 1);
  }
}

void Node::erase(std::string_view key) {
  if (auto* entry = find(key)) {
    auto at = static_cast<std::size_t>(entry - entries.data());
    index_.erase(key, at);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void Node::reindex() {
  index_.clear();
  if (entries.size() < detail::KeyIndex::kWorthwhile) return;
  for (std::size_t i = 0; i < entries.size(); ++i) index_.add(entries[i].key, i);
}

std::size_t Node::num_args() const {
  std::size_t n = 0;
  while (find(std::to_string(n))) ++n;
  return n;
}

namespace {

// The reads of references under way on this thread, to report a cycle with its whole chain.
struct ActiveRead {
  const Node* node;
  const Node::Entry* entry;
};
thread_local std::vector<ActiveRead> active_reads;

struct ReadGuard {
  ReadGuard(const Node* node, const Node::Entry* entry) {
    for (std::size_t i = 0; i < active_reads.size(); ++i) {
      if (active_reads[i].node == node && active_reads[i].entry->key == entry->key) fail(i, entry);
    }
    if (active_reads.size() >= kMaxDepth) {
      throw Error(ErrorKind::cycle, entry->key,
                  "a chain of more than " + std::to_string(kMaxDepth) + " references");
    }
    active_reads.push_back({node, entry});
  }
  ~ReadGuard() { active_reads.pop_back(); }

  [[noreturn]] static void fail(std::size_t from, const Node::Entry* entry) {
    std::string chain;
    for (std::size_t i = from; i < active_reads.size(); ++i) {
      auto* e = active_reads[i].entry;
      chain += e->key + " = " + e->value.as<Reference>().path() + " -> ";
    }
    throw Error(ErrorKind::cycle, entry->key,
                "its references lead back to itself: " + chain + entry->key);
  }
};

}  // namespace

Value Node::read(const Entry& entry) const {
  auto* ref = entry.value.get_if<Reference>();
  if (!ref) return entry.value;
  const auto& expr = *ref->expr();
  if (expr.kind == detail::Expr::Kind::cell && expr.cell->required && expr.cell->value.is_none()) {
    throw Error(ErrorKind::required, entry.key, "a required value is not set");
  }
  ReadGuard guard(this, &entry);
  try {
    return ref->get();
  } catch (const Error& e) {
    if (!e.path().empty() || e.kind() == ErrorKind::cycle) throw;
    throw Error(e.kind(), entry.key, e.what());
  }
}

Value Node::stored(const Value& value) {
  if (auto* cfg = value.get_if<ConfigDict>(); cfg && cfg->owner_) return ConfigDict(cfg->node_);
  return value;
}

Value Node::handed_out(const Value& value, const ConfigDict& from) {
  if (auto* cfg = value.get_if<ConfigDict>()) {
    return ConfigDict(cfg->node_, from.owner_ ? from.owner_ : from.node_);
  }
  return value;
}

namespace detail {

static constexpr std::string_view kRaw = "__raw__=";

std::string encode_key(const Value& key) {
  if (auto* text = key.get_if<std::string>()) {
    if (!text->starts_with(kRaw)) return *text;
    return encode_key(parse_literal(std::string_view(*text).substr(kRaw.size())));
  }
  if (auto* tuple = key.get_if<Tuple>()) {
    return base::join(*tuple, ".", [](const Value& part) -> const std::string& {
      return part.as<std::string>();
    });
  }
  auto* number = key.get_if<double>();
  if (key.is<std::int64_t>() || (number && std::isfinite(*number)) || key.is<bool>() ||
      key.is_none()) {
    return std::string(kRaw) + key.repr();
  }
  throw Error(ErrorKind::type,
              shorten(key.repr(), 40) + " cannot be a key; keys are text, numbers or booleans");
}

std::string encode_key(const Value& key, const Node& node, bool may_append) {
  auto* index = key.get_if<std::int64_t>();
  if (!index || !node.is_call()) return encode_key(key);
  auto n = static_cast<std::int64_t>(node.num_args());
  auto i = *index < 0 ? *index + n : *index;
  if (i < 0 || i > n || (i == n && !may_append)) {
    throw Error(ErrorKind::index, "[" + std::to_string(*index) + "]",
                "the call has " + std::to_string(n) + " positional argument(s)");
  }
  return std::to_string(i);
}

Value decode_key(const std::string& stored) {
  if (!stored.starts_with(kRaw)) return stored;
  return parse_literal(std::string_view(stored).substr(kRaw.size()));
}

std::optional<std::size_t> argument_index(const std::string& key, std::size_t num_args) {
  if (key.empty() || key.size() > 9 || key.find_first_not_of("0123456789") != key.npos) return {};
  std::size_t i = std::stoul(key);
  return i < num_args && std::to_string(i) == key ? std::optional(i) : std::nullopt;
}

Tag tag_of(const Value& v) {
  struct {
    Tag operator()(const None&) { return Tag::none; }
    Tag operator()(bool) { return Tag::boolean; }
    Tag operator()(std::int64_t) { return Tag::integer; }
    Tag operator()(const BigInt&) { return Tag::integer; }
    Tag operator()(double) { return Tag::number; }
    Tag operator()(const std::string&) { return Tag::text; }
    Tag operator()(const List&) { return Tag::list; }
    Tag operator()(const Tuple&) { return Tag::tuple; }
    Tag operator()(const ConfigDict&) { return Tag::dict; }
    Tag operator()(const Dict&) { return Tag::dict; }
    Tag operator()(const Set& s) { return s.frozen ? Tag::frozenset : Tag::set; }
    Tag operator()(const Bytes&) { return Tag::bytes; }
    Tag operator()(const std::filesystem::path&) { return Tag::path; }
    Tag operator()(const Slice&) { return Tag::slice; }
    Tag operator()(const Ellipsis&) { return Tag::ellipsis; }
    Tag operator()(const Reference&) { return Tag::other; }
    Tag operator()(const Complex&) { return Tag::other; }
    Tag operator()(const SymbolName&) { return Tag::other; }
    Tag operator()(const Object&) { return Tag::other; }
  } visitor;
  return std::visit(visitor, v.variant());
}

std::string_view to_string(Tag tag) {
  switch (tag) {
    case Tag::none:
      return "None";
    case Tag::boolean:
      return "bool";
    case Tag::integer:
      return "int";
    case Tag::number:
      return "float";
    case Tag::text:
      return "str";
    case Tag::list:
      return "list";
    case Tag::tuple:
      return "tuple";
    case Tag::dict:
      return "ConfigDict";
    case Tag::set:
      return "set";
    case Tag::frozenset:
      return "frozenset";
    case Tag::bytes:
      return "bytes";
    case Tag::path:
      return "path";
    case Tag::slice:
      return "slice";
    case Tag::ellipsis:
      return "ellipsis";
    case Tag::other:
      break;
  }
  return "object";
}

Value coerce(Tag type, const Value& value, std::string_view key) {
  auto tag = tag_of(value);
  if (type == Tag::none || tag == Tag::none || type == tag) return value;
  if (type == Tag::number) {
    if (auto* i = value.get_if<std::int64_t>()) return static_cast<double>(*i);
    if (auto* b = value.get_if<bool>()) return *b ? 1.0 : 0.0;
    if (auto* big = value.get_if<BigInt>()) {
      if (auto d = std::strtod(big->digits.c_str(), nullptr); std::isfinite(d)) return d;
    }
  }
  if (type == Tag::integer && tag == Tag::boolean) return value;
  if (type == Tag::list && tag == Tag::tuple) {
    auto& t = value.as<Tuple>();
    return List(std::vector<Value>(t.begin(), t.end()));
  }
  if (type == Tag::tuple && tag == Tag::list) {
    auto& l = value.as<List>();
    return Tuple(std::vector<Value>(l.begin(), l.end()));
  }
  throw Error(ErrorKind::type, std::string(key),
              "the field holds " + std::string(to_string(type)) + " and cannot take " +
                  shorten(value.repr(), 40) + " of type " + std::string(to_string(tag)));
}

}  // namespace detail
}  // namespace konfig
