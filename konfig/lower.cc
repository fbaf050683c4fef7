#include "konfig/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include "konfig/callable.h"
#include "konfig/compare.h"
#include "konfig/copy_scope.h"
#include "konfig/number.h"
#include "konfig/ref_expr.h"
#include "konfig/resolve.h"
#include "konfig/type_registry.h"

namespace konfig {

namespace {

using detail::at_offset;
using detail::Binding;
using detail::ConfigState;
using detail::Overlay;
using detail::Path;
using detail::Spec;
using detail::Step;

Value scalar_value(const Type& type, const void* p) {
  auto whole = [&]() -> Value {
    const auto bits = detail::read_whole(p, type.size, type.is_signed);
    if (type.is_signed) return static_cast<std::int64_t>(bits);
    return bits;
  };
  switch (type.kind) {
    case Kind::boolean:
      return *static_cast<const bool*>(p);
    case Kind::integer:
      return whole();
    case Kind::floating:
      return detail::read_real(p, type.size);
    case Kind::duration:
      return type.is_whole ? whole() : Value(detail::read_real(p, type.size));
    case Kind::text:
      return type.to_text(p);
    default:
      break;
  }
  const auto bits = detail::read_whole(p, type.size, type.is_signed);
  for (const Enumerator& e : type.enumerators) {
    if (static_cast<std::uint64_t>(e.value) == bits) return e.name;
  }
  throw Error(ErrorKind::value, std::to_string(static_cast<std::int64_t>(bits)) +
                                    " has no name in " + std::string(type.name));
}

List bits_value(const void* p) {
  List out;
  for (bool b : *static_cast<const std::vector<bool>*>(p)) out.push_back(b);
  return out;
}

// Turns one typed tree into nodes. Paths are relative to the node whose overlay is in force.
class Lowerer {
 public:
  // Without a config there is nothing a reference could name: `strict` refuses them.
  explicit Lowerer(bool strict) : strict_(strict) {}
  explicit Lowerer(const ConfigState& config) : config_(&config) {
    scope_.locate = [this](std::uint64_t id) { return locate(id); };
  }

  ConfigDict config() {
    const Type& type = *config_->type;
    const auto name = qualname_of(type);
    ConfigDict root = name.empty() ? ConfigDict() : ConfigDict(Dict{{kQualname, name}});
    scope_.root = root;
    overlay_ = &config_->overlay;
    // One by one into the root, which exists before its fields so that references can name it.
    for (auto& [key, value] : fields(type, config_->root, type.defaults)) {
      if (value.is<Reference>()) {
        root.set(key, value);
      } else {
        root.update(Dict{{key, value}});
      }
    }
    return root;
  }

  // `base`: the value that loading starts from, nullptr when there is none.
  Value value(const Type& type, const void* cp, const void* base = nullptr) {
    if (auto* binding = bound(type, cp)) return binding->value->build(scope_);
    void* p = const_cast<void*>(cp);  // the table's accessors take mutable pointers
    switch (type.kind) {
      case Kind::none:
        return None();
      case Kind::boolean:
      case Kind::integer:
      case Kind::floating:
      case Kind::text:
      case Kind::enumeration:
      case Kind::duration:
        return scalar_value(type, p);
      case Kind::record:
        return record(type, p, base);
      case Kind::tuple:
        return Tuple(elements(type, p));
      case Kind::array:
        return Tuple(items(type, p));
      case Kind::list:
      case Kind::args:
        return List(items(type, p));
      case Kind::bits:
        return bits_value(p);
      case Kind::map:
      case Kind::kwargs:
        return entries(type, p);
      case Kind::optional:
      case Kind::required:
      case Kind::inherit: {
        const void* inner = type.get(p);
        return inner ? value(type.element(), inner) : Value();
      }
      case Kind::variant:
        return variant(type, p);
      case Kind::poly:
        return poly(static_cast<PolyBase*>(p)->spec());
      case Kind::callable: {
        auto& name = static_cast<CallableBase*>(p)->qualname;
        return name.empty() ? Value() : Value(constant(name));
      }
      case Kind::any:
        return detail::deep_copy(*static_cast<Value*>(p));
      case Kind::dict:
        return dict(*static_cast<ConfigDict*>(p));
    }
    return None();
  }

 private:
  using Pairs = std::vector<Dict::Pair>;

  // Lowers a part one step further down.
  Value below(Step step, const Type& type, const void* p, const void* base = nullptr) {
    path_.push_back(std::move(step));
    Value out = value(type, p, base);
    path_.pop_back();
    return out;
  }

  // The binding in force here: none when the field was assigned after it was bound.
  const Binding* bound(const Type& type, const void* p) {
    if (!overlay_) return nullptr;
    for (const Binding& b : overlay_->bindings) {
      if (b.path == path_ && detail::plain_value(type, p) == b.covered) return &b;
    }
    return nullptr;
  }

  bool bound_below() const {
    return overlay_ && std::ranges::any_of(overlay_->bindings, [&](const Binding& b) {
             return detail::starts_with(b.path, path_);
           });
  }
  bool kept_below() const {
    return overlay_ && std::ranges::any_of(overlay_->kept, [&](const Path& kept) {
             return detail::starts_with(kept, path_);
           });
  }

  bool is_written(const Type& type, void* p, const void* base) {
    switch (type.kind) {
      case Kind::required:
        return type.get(p) != nullptr || bound_below();
      case Kind::inherit:
        return static_cast<detail::InheritBase*>(p)->origin == detail::Origin::given ||
               bound_below();
      default:
        return !base || !detail::equal(type, p, base) || bound_below() || kept_below();
    }
  }

  Pairs fields(const Type& type, void* p, const void* base) {
    Pairs out;
    for (const Field& field : type.fields) {
      const Type& inner = field.type();
      void* at = at_offset(p, field.offset);
      if (inner.kind == Kind::args || inner.kind == Kind::kwargs) {
        open_children(type, inner, at, out);
        continue;
      }
      const void* from = base ? at_offset(base, field.offset) : nullptr;
      path_.push_back(std::string(field.name));
      if (is_written(inner, at, from)) out.emplace_back(field.name, value(inner, at, from));
      path_.pop_back();
    }
    return out;
  }

  void open_children(const Type& owner, const Type& type, void* p, Pairs& out) {
    detail::each_child(type, p, [&](const detail::Child& child) {
      const auto& key = std::get<std::string>(*child.step);
      if (owner.find(key)) {
        throw Error(ErrorKind::key, "\"" + key + "\" is a field of " + std::string(owner.name) +
                                        " and cannot name one of its open children");
      }
      out.emplace_back(key, below(*child.step, *child.type, child.ptr));
      return false;
    });
  }

  Value record(const Type& type, void* p, const void* base) {
    const auto name = qualname_of(type);
    Dict out;
    if (!name.empty()) out.set(kQualname, name);
    // A call starts from the defaults of its type, a plain dict from those of the field.
    const void* from = name.empty() && base ? base : type.defaults;
    for (auto& [key, value] : fields(type, p, from)) out.set(key, value);
    return ConfigDict(out);
  }

  Value poly(const std::shared_ptr<Spec>& spec) {
    if (!spec) return None();
    if (auto it = nodes_.find(spec.get()); it != nodes_.end()) return it->second;
    if (!active_.insert(spec.get()).second) {
      throw Error(ErrorKind::cycle,
                  "a shared node of " + std::string(spec->type->name) + " contains itself");
    }
    require_qualname(*spec->type);
    if (strict_ && !spec->overlay.bindings.empty()) {
      throw Error(ErrorKind::unsupported, std::string(spec->type->name) +
                                              " has references; lower the config they belong to");
    }
    auto* outer = std::exchange(overlay_, config_ ? &spec->overlay : nullptr);
    Path absolute = above_.empty() ? Path() : above_.back().second;
    absolute.insert(absolute.end(), path_.begin(), path_.end());
    above_.emplace_back(spec.get(), std::move(absolute));
    auto path = std::exchange(path_, {});
    auto node = record(*spec->type, spec->value.get(), nullptr).as<ConfigDict>();
    overlay_ = outer;
    path_ = std::move(path);
    above_.pop_back();
    active_.erase(spec.get());
    nodes_.emplace(spec.get(), node);
    return node;
  }

  Value variant(const Type& type, void* p) {
    const Type& active = type.alternatives[type.index(p)]();
    if (active.kind == Kind::record && qualname_of(active).empty()) {
      int unnamed = 0;
      for (TypeOf alternative : type.alternatives) {
        unnamed += alternative().kind == Kind::record && qualname_of(alternative()).empty();
      }
      if (unnamed > 1) require_qualname(active);  // a plain dict could not tell them apart
    }
    return value(active, type.active(p));
  }

  std::vector<Value> elements(const Type& type, void* p) {
    std::vector<Value> out;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const Field& f = type.fields[i];
      out.push_back(below(i, f.type(), at_offset(p, f.offset)));
    }
    return out;
  }

  std::vector<Value> items(const Type& type, void* p) {
    std::vector<Value> out;
    const Type& element = type.element();
    for (std::size_t i = 0; i < type.count(p); ++i) out.push_back(below(i, element, type.at(p, i)));
    return out;
  }

  Dict entries(const Type& type, void* p) {
    Dict out;
    detail::each_child(type, p, [&](const detail::Child& child) {
      out.set(std::get<std::string>(*child.step), below(*child.step, *child.type, child.ptr));
      return false;
    });
    return out;
  }

  Value dict(const ConfigDict& open) {
    ConfigDict out;
    auto it =
        std::find_if(dicts_.begin(), dicts_.end(), [&](auto& d) { return d.first.same(open); });
    if (it != dicts_.end()) {
      out = it->second;
    } else {
      out = open.copy();
      dicts_.emplace_back(open, out);
    }
    if (overlay_) bind_inside(out);
    return out;
  }

  // Bindings of keys inside an open dictionary.
  void bind_inside(const ConfigDict& open) {
    for (const Binding& b : overlay_->bindings) {
      if (b.path.size() <= path_.size() || !detail::starts_with(b.path, path_)) continue;
      Value parent = open;
      for (std::size_t i = path_.size(); i + 1 < b.path.size(); ++i) {
        parent = parent.as<ConfigDict>().get(std::get<std::string>(b.path[i]));
      }
      ConfigDict node = parent.as<ConfigDict>();
      const Value key = std::get<std::string>(b.path.back());
      if (node.get(key, None()) == b.covered) node.set(key, b.value->build(scope_));
    }
  }

  // The nearest node above wins: copies of a node carry the same id.
  Path locate(std::uint64_t id) const {
    for (auto it = above_.rbegin(); it != above_.rend(); ++it) {
      if (std::ranges::count(it->first->ids, id)) return it->second;
    }
    if (id == config_->id || std::ranges::count(config_->ancestors, id)) return {};
    auto place = detail::find_node(*config_->type, config_->root, id);
    if (!place) {
      throw Error(ErrorKind::key,
                  "a reference to another config, or to a node that is no part of it");
    }
    return place->path;
  }

  const ConfigState* config_ = nullptr;
  bool strict_ = false;
  detail::RefScope scope_ = {};
  const Overlay* overlay_ = nullptr;
  Path path_;                                        // relative to the innermost of `above_`
  std::vector<std::pair<const Spec*, Path>> above_;  // the nodes around, and where they stand
  std::map<const Spec*, ConfigDict> nodes_;
  std::set<const Spec*> active_;
  std::vector<std::pair<ConfigDict, ConfigDict>> dicts_;
};

}  // namespace

Value lower_value(const Type& type, const void* value) { return Lowerer(true).value(type, value); }

Value detail::plain_value(const Type& type, const void* value) {
  return Lowerer(false).value(type, value);
}

ConfigDict detail::lower_config(const ConfigState& config) { return Lowerer(config).config(); }

}  // namespace konfig
