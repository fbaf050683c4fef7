// Copies of whole configs: sharing is kept and references follow the copy.
#include <unordered_map>

#include "konfig/expr_impl.h"
#include "konfig/node.h"

namespace konfig {
namespace {

class Copier {
 public:
  explicit Copier(bool follow_references) : follow_(follow_references) {}

  ConfigDict copy(const ConfigDict& root) {
    auto out = node(Node::of(root));
    // Only now is every node's copy known, so that references can be turned to the copies.
    for (auto& n : copies_) {
      for (auto& e : n->entries) retarget(e.value);
    }
    for (auto& values : sequences_) {
      for (auto& v : values->values) retarget(v);
    }
    for (auto& [old, cell] : cells_) retarget(cell->value);
    return Node::handle(out);
  }

 private:
  std::shared_ptr<Node> node(const std::shared_ptr<Node>& from) {
    if (auto it = nodes_.find(from.get()); it != nodes_.end()) return it->second;
    detail::DepthGuard guard(depth_);
    auto to = std::make_shared<Node>();
    nodes_.emplace(from.get(), to);
    copies_.push_back(to);
    to->locked = from->locked;
    to->type_safe = from->type_safe;
    to->entries.reserve(from->entries.size());
    for (auto& e : from->entries) {
      to->append(e.key, value(follow_ ? from->read(e) : e.value));
    }
    return to;
  }

  Value value(const Value& v) {
    if (auto* cfg = v.get_if<ConfigDict>()) return Node::handle(node(Node::of(*cfg)));
    if (auto* list = v.get_if<List>()) return sequence(*list);
    if (auto* tuple = v.get_if<Tuple>()) return sequence(*tuple);
    if (auto* dict = v.get_if<Dict>()) {
      detail::DepthGuard guard(depth_);
      Dict out;
      for (auto& [k, x] : *dict) out.set(k, value(x));
      out.frozen = dict->frozen;
      return out;
    }
    if (auto* ref = v.get_if<Reference>()) {
      if (follow_) return value(ref->get());
      if (auto& cell = ref->expr()->cell; cell && !cells_.contains(cell.get())) {
        detail::DepthGuard guard(depth_);
        auto copy = std::make_shared<detail::Cell>(*cell);
        cells_.emplace(cell.get(), copy);
        copy->value = value(cell->value);
      }
    }
    return v;
  }

  template <class S>
  Value sequence(const S& from) {
    if (auto it = lists_.find(from.identity()); it != lists_.end()) return it->second;
    detail::DepthGuard guard(depth_);
    S to;
    lists_.emplace(from.identity(), to);
    for (auto& v : from) to.push_back(value(v));
    sequences_.push_back(detail::storage(to));
    return to;
  }

  void retarget(Value& v) {
    auto* ref = v.get_if<Reference>();
    if (!ref) return;
    detail::DepthGuard guard(depth_);
    auto expr = *ref->expr();
    auto root = expr.root.lock();
    if (auto it = nodes_.find(root.get()); root && it != nodes_.end()) expr.root = it->second;
    if (auto it = cells_.find(expr.cell.get()); expr.cell && it != cells_.end()) {
      expr.cell = it->second;
    }
    for (auto& operand : expr.operands) retarget(operand);
    v = detail::make_reference(expr);
  }

  bool follow_;
  int depth_ = 0;
  std::unordered_map<const Node*, std::shared_ptr<Node>> nodes_;
  std::unordered_map<const void*, Value> lists_;
  std::unordered_map<const detail::Cell*, std::shared_ptr<detail::Cell>> cells_;
  std::vector<std::shared_ptr<Node>> copies_;
  std::vector<std::shared_ptr<detail::Items>> sequences_;
};

// Shared nodes are repeated at each place, so that nested sharing can grow without bound.
constexpr int kMaxMaps = 1'000'000;

struct Walk {
  int depth = 0;
  int maps = 0;
};

Dict plain(const ConfigDict& cfg, Walk& walk) {
  detail::DepthGuard guard(walk.depth);
  if (++walk.maps > kMaxMaps) {
    throw Error(ErrorKind::value, "the config has too many parts; are shared nodes nested?");
  }
  Dict out;
  for (auto& [k, v] : cfg.items()) {
    auto* child = v.get_if<ConfigDict>();
    out.set(k, child ? Value(plain(*child, walk)) : v);
  }
  return out;
}

}  // namespace

ConfigDict ConfigDict::copy() const { return Copier(/*follow_references=*/false).copy(*this); }

ConfigDict ConfigDict::without_references() const {
  return Copier(/*follow_references=*/true).copy(*this);
}

ConfigDict ConfigDict::shallow_copy() const { return ConfigDict(std::make_shared<Node>(*node_)); }

Dict ConfigDict::to_dict() const {
  Walk walk;
  return plain(*this, walk);
}

namespace {

ConfigDict ref_copy_node(ConfigDict cfg, std::unordered_map<const Node*, ConfigDict>& done,
                         int& depth) {
  if (auto it = done.find(Node::of(cfg).get()); it != done.end()) return it->second;
  detail::DepthGuard guard(depth);
  ConfigDict out;
  done.emplace(Node::of(cfg).get(), out);
  for (auto& key : cfg.keys()) {
    auto* child = Node::of(cfg)->find(detail::encode_key(key))->value.get_if<ConfigDict>();
    out.set(key, child ? Value(ref_copy_node(*child, done, depth)) : cfg.get_oneway_ref(key));
  }
  return out;
}

}  // namespace

ConfigDict ref_copy(const ConfigDict& cfg) {
  std::unordered_map<const Node*, ConfigDict> done;
  int depth = 0;
  return ref_copy_node(cfg, done, depth);
}

}  // namespace konfig
