#include "konfig/walk.h"

#include <algorithm>
#include <set>

#include "konfig/poly.h"

namespace konfig::detail {

namespace {

using Visit = std::function<bool(const Child&)>;

bool each_field(const Type& type, void* p, const Visit& visit) {
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    const Type& inner = field.type();
    Child child{.type = &inner, .ptr = at_offset(p, field.offset), .field = &field};
    const bool open = inner.kind == Kind::args || inner.kind == Kind::kwargs;
    const Step step = type.kind == Kind::tuple ? Step(i) : Step(std::string(field.name));
    if (!open) child.step = &step;
    if (visit(child)) return true;
  }
  return false;
}

bool each_item(const Type& type, void* p, const Visit& visit) {
  for (std::size_t i = 0; i < type.count(p); ++i) {
    // Positional arguments are the keys "0", "1", ... of their node.
    const Step step = type.kind == Kind::args ? Step(std::to_string(i)) : Step(i);
    if (visit({.type = &type.element(), .ptr = type.at(p, i), .step = &step})) return true;
  }
  return false;
}

bool each_entry(const Type& type, void* p, const Visit& visit) {
  struct Context {
    const Type& element;
    const Visit& visit;
  } context{type.element(), visit};
  return type.each(
      p,
      [](void* raw, const std::string& key, void* value) {
        auto& c = *static_cast<Context*>(raw);
        const Step step = key;
        return c.visit({.type = &c.element, .ptr = value, .step = &step});
      },
      &context);
}

// Depth first; every node is entered once.
class Finder {
 public:
  explicit Finder(std::function<bool(Place&)> found) : found_(std::move(found)) {}

  std::optional<Place> run(const Type& root, void* p) {
    place_.type = &root;
    place_.ptr = p;
    if (search(root, p)) return std::move(place_);
    return std::nullopt;
  }

 private:
  bool search(const Type& type, void* p) {
    place_.type = &type;
    place_.ptr = p;
    if (found_(place_)) return true;
    return each_child(type, p, [this](const Child& child) { return enter(child); });
  }

  bool enter(const Child& child) {
    if (child.spec && !entered_.insert(child.spec.get()).second) return false;
    auto old_owner = place_.owner;
    auto old_rel = place_.rel;
    if (child.spec) {
      place_.owner = child.spec;
      place_.rel.clear();
    }
    if (child.step) {
      place_.path.push_back(*child.step);
      place_.rel.push_back(*child.step);
    }
    if (search(*child.type, child.ptr)) return true;
    if (child.step) place_.path.pop_back();
    place_.owner = std::move(old_owner);
    place_.rel = std::move(old_rel);
    return false;
  }

  std::function<bool(Place&)> found_;
  Place place_;
  std::set<const Spec*> entered_;
};

// The steps from `dict` to the node `goal` below it.
bool path_inside(const Value& value, const ConfigDict& goal, Path& path, int depth) {
  if (depth > kMaxDepth) return false;
  auto into = [&](Step step, const Value& inner) {
    path.push_back(std::move(step));
    if (path_inside(inner, goal, path, depth + 1)) return true;
    path.pop_back();
    return false;
  };
  if (auto* dict = value.get_if<ConfigDict>()) {
    if (dict->same(goal)) return true;
    for (auto& [key, inner] : dict->items()) {
      if (auto* text = key.get_if<std::string>(); text && into(*text, inner)) return true;
    }
  } else if (auto* list = value.get_if<List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (into(i, (*list)[i])) return true;
    }
  }
  return false;
}

}  // namespace

bool each_child(const Type& type, void* p, const Visit& visit) {
  switch (type.kind) {
    case Kind::record:
    case Kind::tuple:
      return each_field(type, p, visit);
    case Kind::list:
    case Kind::array:
    case Kind::args:
      return each_item(type, p, visit);
    case Kind::map:
    case Kind::kwargs:
      return each_entry(type, p, visit);
    case Kind::optional:
    case Kind::required:
    case Kind::inherit: {
      void* inner = type.get(p);
      return inner && visit({.type = &type.element(), .ptr = inner});
    }
    case Kind::variant:
      return visit({.type = &type.alternatives[type.index(p)](), .ptr = type.active(p)});
    case Kind::poly: {
      auto& spec = static_cast<PolyBase*>(p)->spec();
      return spec && visit({.type = spec->type, .ptr = spec->value.get(), .spec = spec});
    }
    default:
      return false;
  }
}

std::optional<Place> find_address(const Type& root, void* p, const Type& type, const void* goal) {
  return Finder([&](Place& place) { return place.ptr == goal && place.type->is(type); })
      .run(root, p);
}

std::optional<Place> find_node(const Type& root, void* p, std::uint64_t id) {
  return Finder([&](Place& place) {
           return place.owner && place.rel.empty() && std::ranges::count(place.owner->ids, id) > 0;
         })
      .run(root, p);
}

std::optional<Place> find_dict(const Type& root, void* p, const ConfigDict& goal) {
  return Finder([&](Place& place) {
           if (place.type->kind != Kind::dict) return false;
           Path inside;
           if (!path_inside(*static_cast<ConfigDict*>(place.ptr), goal, inside, 0)) return false;
           place.path.insert(place.path.end(), inside.begin(), inside.end());
           place.rel.insert(place.rel.end(), inside.begin(), inside.end());
           return true;
         })
      .run(root, p);
}

}  // namespace konfig::detail
