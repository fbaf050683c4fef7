// TreeRef, as described in kontext/tree.h, which is the header to include.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "konfig/type.h"
#include "konfig/value.h"
#include "kontext/path.h"

namespace kontext {

enum class Shape {
  leaf,
  none,  // None, an empty optional: vanishes when a tree is flattened
  list,
  tuple,  // read and flattened like a list, but never changed in part
  map,
  record,  // a struct: its fields are fixed
};

class TreeRef;
// Called with each child; true stops.
using Visit = std::function<bool(const Part& part, const TreeRef& child)>;

template <class T>
struct TreeTraits {};

// What kontext knows about one type. Made from TreeTraits; absent abilities are nullptr.
struct TreeOps {
  std::string_view type;         // identity: "kd::Batch"
  std::string_view spoken = {};  // in messages: "dict", "kd::Batch"
  Shape shape = Shape::leaf;
  TreeRef (*item)(const TreeRef& self, const Part& part) = nullptr;
  TreeRef (*attribute)(const TreeRef& self, const std::string& name) = nullptr;
  bool (*each)(const TreeRef& self, const Visit& visit) = nullptr;
  konfig::Value (*value)(const TreeRef& self) = nullptr;
  void (*set)(const TreeRef& self, const Part& part, const TreeRef& value) = nullptr;
};

// Non-owning, unless made by `own` or from a temporary: the tree must outlive it. One pointer copy
// per step; looking up a child of a plain container or struct allocates nothing.
class TreeRef {
 public:
  TreeRef() = default;  // nothing: "no such place"
  // Any tree. What is reached from a const one cannot be set.
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, TreeRef>) TreeRef(T&& tree);
  TreeRef(const void* ptr, const TreeOps* ops, const void* context = nullptr, bool writable = true)
      : ptr_(ptr), ops_(ops), context_(context), writable_(writable) {}
  // A part of a tree: it can be set if the tree can.
  template <class T>
  static TreeRef of(const T& part);
  // A value made on the way, such as a slice. It cannot be set: that would be lost.
  template <class T>
  static TreeRef own(T value);
  static TreeRef none();

  explicit operator bool() const { return ops_ != nullptr; }
  Shape shape() const { return ops_->shape; }
  bool is_container() const { return shape() != Shape::leaf && shape() != Shape::none; }
  std::string_view type_name() const { return ops_->spoken.empty() ? type() : ops_->spoken; }

  TreeRef item(const Part& part) const {
    return ops_->item ? step(ops_->item(*this, part)) : TreeRef();
  }
  TreeRef attribute(const std::string& name) const {
    return ops_->attribute ? step(ops_->attribute(*this, name)) : TreeRef();
  }
  // tree[part], else tree.part.
  TreeRef child(const Part& part) const {
    TreeRef found = item(part);
    if (!found && part.text()) found = attribute(*part.text());
    return found;
  }
  // Children in order: as stored, struct fields as declared.
  bool each(const Visit& visit) const;
  std::size_t size() const;

  // The object as exactly this type, or nullptr.
  template <class T>
  const T* get_if() const {
    return ops_ && type() == konfig::type_name<T> ? static_cast<const T*>(ptr_) : nullptr;
  }
  template <class T>
  const T& as() const {
    if (auto* p = get_if<T>()) return *p;
    fail_as(konfig::type_name<T>);
  }
  // The object converted: `to<float>()` of an int.
  template <class T>
  T to() const;
  konfig::Value value() const;  // an Error for types without one

  bool writable() const { return writable_; }
  // tree[part] = value, without looking at the tree's own rules for paths (see set.h).
  void set(const Part& part, const TreeRef& value) const;

  // For the makers of TreeOps.
  const void* ptr() const { return ptr_; }
  const TreeOps* ops() const { return ops_; }
  const void* context() const { return context_; }
  TreeRef with_owner(std::shared_ptr<const void> owner) && {
    owner_ = std::move(owner);
    return std::move(*this);
  }
  TreeRef read_only() && {
    writable_ = false;
    return std::move(*this);
  }

 private:
  // A part of something owned keeps it alive; a part of something const is const.
  TreeRef step(TreeRef child) const {
    if (owner_ && !child.owner_) child.owner_ = owner_;
    child.writable_ = child.writable_ && writable_;
    return child;
  }
  // Objects known by their run-time table only (tree_type.cc) have it as their context.
  std::string_view type() const {
    return ops_->type.empty() ? static_cast<const konfig::Type*>(context_)->name : ops_->type;
  }
  [[noreturn]] void fail_as(std::string_view wanted) const;

  const void* ptr_ = nullptr;
  const TreeOps* ops_ = nullptr;
  const void* context_ = nullptr;  // what the ops need to know beyond the object
  std::shared_ptr<const void> owner_;
  bool writable_ = true;
};

// Assigns what `from` refers to, converting numbers, text and containers where nothing is lost.
template <class T>
void assign(T& to, const TreeRef& from);

}  // namespace kontext
