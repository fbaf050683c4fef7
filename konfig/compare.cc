#include "konfig/compare.h"

#include <cstring>
#include <string>
#include <vector>

#include "konfig/callable.h"
#include "konfig/inherit.h"
#include "konfig/number.h"
#include "konfig/poly.h"

namespace konfig::detail {

namespace {

bool equal_items(const Type& type, void* a, void* b) {
  if (type.count(a) != type.count(b)) return false;
  for (std::size_t i = 0; i < type.count(a); ++i) {
    if (!equal(type.element(), type.at(a, i), type.at(b, i))) return false;
  }
  return true;
}

using Entries = std::vector<std::pair<std::string, void*>>;
Entries entries_of(const Type& type, void* p) {
  Entries out;
  type.each(
      p,
      [](void* context, const std::string& key, void* value) {
        static_cast<Entries*>(context)->emplace_back(key, value);
        return false;
      },
      &out);
  return out;
}

// Order counts: it reaches JSON and the sum of losses.
bool equal_entries(const Type& type, void* a, void* b) {
  auto left = entries_of(type, a), right = entries_of(type, b);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].first != right[i].first) return false;
    if (!equal(type.element(), left[i].second, right[i].second)) return false;
  }
  return true;
}

bool equal_inner(const Type& type, void* a, void* b) {
  void* left = type.get(a);
  void* right = type.get(b);
  if (!left || !right) return left == right;
  return equal(type.element(), left, right);
}

bool equal_inherit(const Type& type, void* a, void* b) {
  const bool left = static_cast<InheritBase*>(a)->origin == Origin::given;
  const bool right = static_cast<InheritBase*>(b)->origin == Origin::given;
  return left == right && (!left || equal_inner(type, a, b));
}

bool equal_poly(const PolyBase& a, const PolyBase& b) {
  auto &left = a.spec(), &right = b.spec();
  if (left == right) return true;
  if (!left || !right || !left->type->is(*right->type)) return false;
  if (!left->overlay.empty() || !right->overlay.empty()) return false;
  return equal(*left->type, left->value.get(), right->value.get());
}

}  // namespace

bool equal(const Type& type, const void* ca, const void* cb) {
  // The table's accessors take mutable pointers; nothing is written here.
  void* a = const_cast<void*>(ca);
  void* b = const_cast<void*>(cb);
  switch (type.kind) {
    case Kind::none:
      return true;
    case Kind::floating:
      return same_real(a, b, type.size);
    case Kind::duration:
      return type.is_whole ? std::memcmp(a, b, type.size) == 0 : same_real(a, b, type.size);
    case Kind::boolean:
    case Kind::integer:
    case Kind::enumeration:
      return std::memcmp(a, b, type.size) == 0;
    case Kind::text:
      return type.to_text(a) == type.to_text(b);
    case Kind::record:
    case Kind::tuple:
      for (const Field& f : type.fields) {
        if (!equal(f.type(), at_offset(a, f.offset), at_offset(b, f.offset))) return false;
      }
      return true;
    case Kind::list:
    case Kind::array:
    case Kind::args:
      return equal_items(type, a, b);
    case Kind::bits:
      return *static_cast<std::vector<bool>*>(a) == *static_cast<std::vector<bool>*>(b);
    case Kind::map:
    case Kind::kwargs:
      return equal_entries(type, a, b);
    case Kind::optional:
    case Kind::required:
      return equal_inner(type, a, b);
    case Kind::inherit:
      return equal_inherit(type, a, b);
    case Kind::variant: {
      const auto i = type.index(a);
      return i == type.index(b) && equal(type.alternatives[i](), type.active(a), type.active(b));
    }
    case Kind::poly:
      return equal_poly(*static_cast<PolyBase*>(a), *static_cast<PolyBase*>(b));
    case Kind::callable:
      return static_cast<CallableBase*>(a)->qualname == static_cast<CallableBase*>(b)->qualname;
    case Kind::any:
      return *static_cast<Value*>(a) == *static_cast<Value*>(b);
    case Kind::dict:
      return *static_cast<ConfigDict*>(a) == *static_cast<ConfigDict*>(b);
  }
  return false;
}

}  // namespace konfig::detail
