// Config<T>: a config being written, with the fields of T and late-bound references.
//
//   Config<Trainer> cfg;
//   cfg.num_train_steps = 1000;
//   auto lr = node(optim::Cosine{.peak_value = 3e-3});      // one node, used twice
//   cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);    // follows later overrides
//   cfg.schedules["learning_rate"] = lr;
//   cfg.optimizer = optim::Adam{.learning_rate = lr};
//   cfg.aux["dim"] = 64;                                    // an open dictionary
//   cfg[cfg.width] = cfg.ref<int>(cfg.aux["dim"]) * 2;
//   ConfigDict config = lower(cfg);                         // from here on, data
//
// A field is found by its address, so `cfg[...]` and `cfg.ref(...)` take the field itself. A
// binding belongs to the nearest node (the root or a Poly) and travels with it; assigning another
// value to the field afterwards replaces it. Copies are independent and keep the graph of shared
// nodes.
#pragma once

#include <memory>
#include <utility>

#include "konfig/copy_scope.h"
#include "konfig/live.h"
#include "konfig/lower.h"
#include "konfig/ref.h"
#include "konfig/ref_fits.h"
#include "konfig/register.h"

namespace konfig {

namespace detail {

std::shared_ptr<ConfigState> new_config(const Type& type, void* root);
std::shared_ptr<ConfigState> copy_config(const ConfigState& from, void* root);
std::shared_ptr<Spec> embed_config(const ConfigState& config, void* copy_of_root);

// An Error when the field is no part of the config and of no live node.
RefExprPtr ref_to(const ConfigState& config, const Type& type, const void* field);
RefExprPtr ref_to(const ConfigState& config, const Item& item);
void bind_field(ConfigState& config, const Type& type, const void* field, RefExprPtr value);
void bind_key(ConfigState& config, const Item& item, RefExprPtr value);
void keep_field(const Type& type, const void* field);

// What cfg[field] gives: takes a reference.
template <class F>
class Slot {
 public:
  Slot(ConfigState& config, const F& field) : config_(config), field_(field) {}
  template <class U>
  void operator=(const Ref<U>& ref) const {
    if constexpr (std::same_as<F, Item>) {
      bind_key(config_, field_, ref.expr());
    } else {
      static_assert(ref_fits<U, F>(),
                    "konfig: the reference has another type than the field it is bound to");
      bind_field(config_, type_of<F>(), &field_, ref.expr());
    }
  }

 private:
  ConfigState& config_;
  const F& field_;
};

struct ConfigAccess {
  template <class T>
  static ConfigState& state(const Config<T>& config) {
    return *config.konfig_state_;
  }
};

}  // namespace detail

template <class T>
class Config : public T {
 public:
  Config() : T(), konfig_state_(detail::new_config(type_of<T>(), root())) {}
  Config(T value) : T(std::move(value)), konfig_state_(detail::new_config(type_of<T>(), root())) {}
  Config(const Config& other)
      : T(detail::copy_graph(static_cast<const T&>(other))),
        konfig_state_(detail::copy_config(*other.konfig_state_, root())) {}
  Config(Config&& other)
      : T(std::move(static_cast<T&>(other))), konfig_state_(std::move(other.konfig_state_)) {
    konfig_state_->root = root();
    other.konfig_state_ = detail::new_config(type_of<T>(), other.root());
  }
  Config& operator=(const Config& other) {
    if (this != &other) *this = Config(other);
    return *this;
  }
  Config& operator=(Config&& other) {
    if (this == &other) return *this;
    static_cast<T&>(*this) = std::move(static_cast<T&>(other));
    konfig_state_ = std::move(other.konfig_state_);
    konfig_state_->root = root();
    other.konfig_state_ = detail::new_config(type_of<T>(), other.root());
    return *this;
  }
  ~Config() = default;

  // A reference to a field of this config, or of a node made by node().
  template <class F>
  Ref<detail::RefValue<F>> ref(const F& field) const {
    static_assert(!std::same_as<F, Item>,
                  "konfig: say which type the key holds: cfg.ref<int>(cfg.aux[\"key\"])");
    return Ref<detail::RefValue<F>>(detail::ref_to(*konfig_state_, type_of<F>(), &field));
  }
  // A reference to a key of an open dictionary.
  template <class F>
  Ref<F> ref(const Item& item) const {
    return Ref<F>(detail::ref_to(*konfig_state_, item));
  }

  // Binds a field: cfg[cfg.a] = cfg.ref(cfg.b) * 2.
  template <class F>
  detail::Slot<F> operator[](const F& field) {
    return {*konfig_state_, field};
  }

 private:
  friend struct detail::ConfigAccess;
  void* root() { return static_cast<T*>(this); }
  std::shared_ptr<detail::ConfigState> konfig_state_;
};

// The config as data.
template <class T>
ConfigDict lower(const Config<T>& config) {
  return detail::lower_config(detail::ConfigAccess::state(config));
}

// Writes the field although it holds its default: `keep(cfg.seed)`, `keep(cfg.seed) = 0`.
template <class F>
F& keep(F& field) {
  detail::keep_field(type_of<F>(), &field);
  return field;
}

// A copy as a node: for Poly<Interface>.
template <class T>
std::shared_ptr<detail::Spec> config_spec(const Config<T>& config) {
  T copy = detail::copy_graph(static_cast<const T&>(config));
  return detail::embed_config(detail::ConfigAccess::state(config), &copy);
}

}  // namespace konfig
