// The templates of state.h: what is done with a struct, field by field.
#pragma once

#include "kd/metrics/engine/state.h"
#include "konfig/names.h"

namespace kd::metrics {
namespace detail {

template <class F>
concept Mergeable = requires(F& field, const F& other) {
  field.merge(other);
};
template <class S>
concept MergesItself = konfig::Record<S> && requires(const S& state) {
  { state.merge(state) } -> std::same_as<S>;
};
template <class S>
concept FinalizesItself = konfig::Record<S> && requires(const S& state) {
  { state.finalize() } -> std::same_as<S>;
};
template <class S>
concept Computes = requires(const S& state) {
  as_tree(state.compute());
};
template <class T>
inline constexpr bool is_static = false;
template <class T>
inline constexpr bool is_static<StaticField<T>> = true;

// Adds the name of a field to its Error.
template <class F>
void named(std::string_view name, const F& run) {
  try {
    run();
  } catch (const konfig::Error& e) {
    throw e.within(name);
  }
}

template <class F>
void merge_field(F& field, const F& other, std::string_view name) {
  static_assert(konfig::Record<F> || Mergeable<F>,
                "metrics: the fields of a state are SumField, MinField, MaxField, ConcatField, "
                "TruncateField, StaticField or states");
  named(name, [&] {
    if constexpr (konfig::Record<F>) {
      merge_into(field, other);
    } else if constexpr (std::is_same_v<F, State>) {
      field = std::move(field).merge(other);
    } else {
      field.merge(other);
    }
  });
}

template <class F>
void finalize_field(F& field) {
  if constexpr (konfig::Record<F>) {
    metrics::finalize(field);
  } else if constexpr (std::is_same_v<F, State>) {
    field = field.finalize();
  } else {
    field.finalize();
  }
}

template <class F>
void assign_field(F& field, const Tree& tree, std::string_view name) {
  named(name, [&] {
    if constexpr (konfig::Record<F>) {
      assign_tree(field, tree[name]);
    } else if constexpr (std::is_same_v<F, State>) {
      field = field.with_tree(tree[name]);
    } else if constexpr (!is_static<F>) {
      field.assign(tree[name]);
    }
  });
}
[[noreturn]] void fail_no_way_back(std::string_view state);

template <class F>
void add_field(Tree::Items& items, const F& field, std::string_view name, bool computed) {
  if constexpr (konfig::Record<F>) {
    items.emplace_back(name, computed && Computes<F> ? as_tree(field.compute()) : tree_of(field));
  } else if constexpr (!is_static<F>) {
    items.emplace_back(name, field.tree());
  }
}

template <class S>
Tree fields_as_tree(const S& state, bool computed) {
  static const auto names = konfig::field_names<S>();
  Tree::Items items;
  konfig::visit_fields(state, [&](const auto&... field) {
    std::size_t i = 0;
    (add_field(items, field, names[i++], computed), ...);
    static_cast<void>(i);
  });
  return Tree::dict(std::move(items));
}

template <class S>
Tree compute(const S& state) {
  if constexpr (Computes<S>) {
    return as_tree(state.compute());
  } else {
    return fields_as_tree(state, true);
  }
}

template <class S>
const StateOps& state_ops() {
  static const StateOps ops = {
      .type = konfig::type_name<S>,
      .copy = [](const void* state) -> std::shared_ptr<void> {
        return std::make_shared<S>(*static_cast<const S*>(state));
      },
      .merge =
          [](void* state, const void* other) {
            merge_into(*static_cast<S*>(state), *static_cast<const S*>(other));
          },
      .finalize = [](void* state) { metrics::finalize(*static_cast<S*>(state)); },
      .compute = [](const void* state) { return detail::compute(*static_cast<const S*>(state)); },
      .tree = [](const void* state) { return tree_of(*static_cast<const S*>(state)); },
      .assign = [](void* state, const Tree& tree) { assign_tree(*static_cast<S*>(state), tree); },
  };
  return ops;
}

}  // namespace detail

template <class S>
void merge_into(S& state, const S& other) {
  if constexpr (detail::MergesItself<S>) {
    state = state.merge(other);
  } else {
    static const auto names = konfig::field_names<S>();
    konfig::visit_fields(state, [&](auto&... mine) {
      konfig::visit_fields(other, [&](const auto&... theirs) {
        std::size_t i = 0;
        (detail::merge_field(mine, theirs, names[i++]), ...);
        static_cast<void>(i);
      });
    });
  }
}

template <class S>
void finalize(S& state) {
  if constexpr (detail::FinalizesItself<S>) {
    state = state.finalize();
  } else {
    konfig::visit_fields(state, [](auto&... field) { (detail::finalize_field(field), ...); });
  }
}

template <class S>
Tree tree_of(const S& state) {
  if constexpr (requires { state.tree(); }) {
    return state.tree();
  } else {
    return detail::fields_as_tree(state, false);
  }
}

template <class S>
void assign_tree(S& state, const Tree& tree) {
  if constexpr (requires { state.with_tree(tree); }) {
    state = state.with_tree(tree);
  } else if constexpr (requires { state.tree(); }) {
    detail::fail_no_way_back(konfig::type_name<S>);
  } else {
    static const auto names = konfig::field_names<S>();
    konfig::visit_fields(state, [&](auto&... field) {
      std::size_t i = 0;
      (detail::assign_field(field, tree, names[i++]), ...);
      static_cast<void>(i);
    });
  }
}

}  // namespace kd::metrics
