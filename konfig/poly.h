// Poly<Interface>: any registered component of an interface, as plain data.
//
//   Poly<Optimizer> opt = optim::Adam{.learning_rate = 1e-3};
//   opt.as<optim::Adam>().b1 = 0.8;
//   auto lr = node(optim::Cosine{});      // a handle: assigning it twice shares one node
//   cfg.schedules["learning_rate"] = lr;
//   cfg.optimizer = optim::Adam{.learning_rate = lr};
//
// A Poly behaves like a value: copies are independent, except of shared nodes (`node`) and of
// resolved objects, which are immutable: writing to one through `as` makes a copy first.
#pragma once

#include <concepts>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "konfig/overlay.h"
#include "konfig/type.h"

namespace konfig {

// True when KONFIG_COMPONENT declared T as a component of Interface.
template <class Interface, class T>
inline constexpr bool implements = false;

template <class T>
class Config;  // konfig/config.h

class PolyBase {
 public:
  explicit operator bool() const { return spec_ != nullptr; }
  void reset() { spec_ = nullptr; }
  // What it holds: nullptr when empty.
  const Type* type() const { return spec_ ? spec_->type : nullptr; }
  std::shared_ptr<const void> object() const { return spec_ ? spec_->value : nullptr; }
  bool same(const PolyBase& other) const { return object() == other.object(); }

  // Takes over an object built elsewhere, as an immutable one.
  void set_object(const Type& type, std::shared_ptr<const void> object);
  const std::shared_ptr<detail::Spec>& spec() const { return spec_; }
  void set_spec(std::shared_ptr<detail::Spec> spec) { spec_ = std::move(spec); }

 protected:
  PolyBase() = default;
  explicit PolyBase(std::shared_ptr<detail::Spec> spec) : spec_(std::move(spec)) {}
  PolyBase(const PolyBase& other);
  PolyBase(PolyBase&&) noexcept = default;
  PolyBase& operator=(const PolyBase& other);
  PolyBase& operator=(PolyBase&&) noexcept = default;
  ~PolyBase() = default;

  bool holds(std::string_view type_name) const { return spec_ && spec_->type->name == type_name; }
  const void* get(std::string_view type_name) const;  // an Error when it holds something else
  void* get_to_write(std::string_view type_name);

 private:
  std::shared_ptr<detail::Spec> spec_;
};

namespace detail {
std::shared_ptr<Spec> make_spec(const Type& type, void* from);         // moves the value
std::shared_ptr<Spec> make_shared_spec(const Type& type, void* from);  // for node()
}  // namespace detail

// A typed handle of one node.
template <class T>
class Handle {
 public:
  explicit Handle(T value) : spec_(detail::make_shared_spec(type_of<T>(), &value)) {}
  T* operator->() const { return static_cast<T*>(spec_->value.get()); }
  T& operator*() const { return *operator->(); }
  const std::shared_ptr<detail::Spec>& spec() const { return spec_; }

 private:
  std::shared_ptr<detail::Spec> spec_;
};

// Every place that is assigned the handle is the same node, and resolves to one object.
template <Record T>
Handle<T> node(T value) {
  return Handle<T>(std::move(value));
}

template <class I>
class Poly : public PolyBase {
 public:
  using Interface = I;
  static constexpr Kind konfig_kind = Kind::poly;

  Poly() = default;
  template <Record T>
  requires(!std::derived_from<T, PolyBase>) Poly(T value)
      : PolyBase(detail::make_spec(checked_type<T>(), &value)) {}
  template <class T>
  Poly(const Handle<T>& handle) : PolyBase(handle.spec()) {
    checked_type<T>();
  }
  // A copy of a config written apart, with its references.
  template <class T>
  Poly(const Config<T>& config) : PolyBase(config_spec(config)) {
    checked_type<T>();
  }

  template <class T>
  bool holds() const {
    return PolyBase::holds(type_name<T>);
  }
  // The component, which must be a T.
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(get(type_name<T>));
  }
  template <class T>
  T& as() {
    return *static_cast<T*>(get_to_write(type_name<T>));
  }
  template <class T>
  const T* get_if() const {
    return holds<T>() ? &as<T>() : nullptr;
  }

  // Uses the component, where the interface's namespace says how:
  // `poly_call(const I*, const Poly<I>&, args...)`.
  template <class... A>
  decltype(auto) operator()(A&&... args) const {
    return poly_call(static_cast<const I*>(nullptr), *this, std::forward<A>(args)...);
  }

 private:
  template <class T>
  static const Type& checked_type() {
    static_assert(implements<I, T>,
                  "konfig: this type is not a component of the interface; below it, write "
                  "KD_COMPONENT(Interface, Type) (without kd KONFIG_LOCAL_COMPONENT), or in a "
                  "header KONFIG_COMPONENT(Interface, Type, \"name\")");
    return type_of<T>();
  }
};

}  // namespace konfig
