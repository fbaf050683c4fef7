#include "konfig/root.h"

#include <map>
#include <set>

#include "konfig/copy_scope.h"
#include "konfig/load.h"
#include "konfig/poly.h"
#include "konfig/walk.h"

namespace konfig {

namespace {

using detail::Child;
using detail::each_child;
using detail::InheritBase;
using detail::Origin;
using detail::Sharing;
using detail::Spec;

struct Any {
  const Type* type = nullptr;
  void* ptr = nullptr;
};

// Through wrappers to the value inside; a null pointer when there is none.
Any unwrap(Any v) {
  while (v.ptr) {
    switch (v.type->kind) {
      case Kind::optional:
      case Kind::required:
      case Kind::inherit:
        v = {&v.type->element(), v.type->get(v.ptr)};
        break;
      case Kind::variant:
        v = {&v.type->alternatives[v.type->index(v.ptr)](), v.type->active(v.ptr)};
        break;
      case Kind::poly: {
        auto& spec = static_cast<PolyBase*>(v.ptr)->spec();
        if (!spec) return {};
        v = {spec->type, spec->value.get()};
        break;
      }
      default:
        return v;
    }
  }
  return v;
}

class Filler {
 public:
  Filler(const Type& type, void* root) : root_{&type, root} {}

  void run() {
    freeze(*root_.type, root_.ptr);
    fill(*root_.type, root_.ptr);
  }

 private:
  // Copies of a component share it from here on, so that values taken from the root stay one
  // object.
  void freeze(const Type& type, void* p) {
    each_child(type, p, [&](const Child& child) {
      if (child.spec) {
        if (!frozen_.insert(child.spec.get()).second) return false;
        child.spec->sharing = Sharing::frozen;
      }
      freeze(*child.type, child.ptr);
      return false;
    });
  }

  // Is there an Inherit to fill at or below?
  bool needs_fill(const Type& type, void* p) {
    if (type.kind == Kind::inherit && static_cast<InheritBase*>(p)->origin != Origin::given) {
      return true;
    }
    return each_child(type, p, [&](const Child& child) {
      if (!child.spec) return needs_fill(*child.type, child.ptr);
      auto [it, is_new] = needs_.emplace(child.spec->value.get(), false);
      if (is_new) {
        const bool needs = needs_fill(*child.type, child.ptr);
        needs_[child.spec->value.get()] = needs;
        return needs;
      }
      return it->second;
    });
  }

  void fill(const Type& type, void* p) {
    if (type.kind == Kind::poly) return fill_poly(*static_cast<PolyBase*>(p));
    each_child(type, p, [&](const Child& child) {
      if (child.type->kind == Kind::inherit) take(type, child);
      fill(*child.type, child.ptr);
      return false;
    });
  }

  // An immutable object is replaced by a filled copy, once for all its places.
  void fill_poly(PolyBase& poly) {
    auto spec = poly.spec();
    if (!spec) return;
    const void* object = spec->value.get();
    if (auto it = filled_.find(object); it != filled_.end()) {
      poly.set_spec(it->second);
      return;
    }
    if (!needs_fill(*spec->type, spec->value.get())) return;
    auto copy = detail::clone_spec(*spec);
    originals_.push_back(spec);  // keeps the address taken
    filled_[object] = copy;
    filled_[copy->value.get()] = copy;
    fill(*copy->type, copy->value.get());
    poly.set_spec(copy);
  }

  void take(const Type& owner, const Child& child) {
    auto& state = *static_cast<InheritBase*>(child.ptr);
    if (state.origin == Origin::given) return;
    const Type& wanted = child.type->element();
    const auto place = [&] {
      return "Cannot resolve " + std::string(owner.name) + "." +
             std::string(child.field ? child.field->name : "") + " = root." +
             std::string(child.type->root_path);
    };
    Any found = root_;
    for (std::string_view rest = child.type->root_path; !rest.empty();) {
      const auto cut = rest.find('.');
      found = step(found, rest.substr(0, cut));
      if (!found.ptr) {
        throw Error(ErrorKind::key, place() + ": " + std::string(root_.type->name) + " has no \"" +
                                        std::string(child.type->root_path) + "\"");
      }
      rest.remove_prefix(cut == rest.npos ? rest.size() : cut + 1);
    }
    found = peel(found, wanted);
    if (!found.ptr || !found.type->is(wanted)) {
      throw Error(ErrorKind::type,
                  place() + ": expected " + words(wanted) + ", got " +
                      (found.ptr ? words(*found.type) : "a field that is not set"));
    }
    wanted.assign(child.type->emplace(child.ptr), found.ptr);
    state.origin = Origin::filled;
  }

  static Any step(Any at, std::string_view name) {
    at = unwrap(at);
    if (!at.ptr) return {};
    Any out;
    each_child(*at.type, at.ptr, [&](const Child& child) {
      auto* key = child.step ? std::get_if<std::string>(child.step) : nullptr;
      if (!key || *key != name) return false;
      out = {child.type, child.ptr};
      return true;
    });
    return out;
  }

  // The root may hold the value in a Required, an Inherit or an optional.
  static Any peel(Any at, const Type& wanted) {
    while (at.ptr && !at.type->is(wanted) &&
           (at.type->kind == Kind::required || at.type->kind == Kind::inherit ||
            at.type->kind == Kind::optional)) {
      at = {&at.type->element(), at.type->get(at.ptr)};
    }
    return at;
  }

  Any root_;
  std::set<const Spec*> frozen_;
  std::map<const void*, bool> needs_;
  std::map<const void*, std::shared_ptr<Spec>> filled_;
  std::vector<std::shared_ptr<Spec>> originals_;
};

}  // namespace

void fill_from_root(const Type& type, void* root) { Filler(type, root).run(); }

}  // namespace konfig
