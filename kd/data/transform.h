// What a transform may have, and how a pipeline calls it. One of:
//
//   Tree map(Tree record) const;
//   Tensor map_element(const Tensor& element) const;                  // of the elements `key`
//   Tree random_map(Tree record, const Generator& rng) const;
//   Tensor random_map_element(const Tensor&, Generator& rng) const;   // each gets a copy of `rng`
//   bool filter(const Tree& record) const;                            // false: the record is left
//   out
//
// With `static constexpr bool maps_batches = true` a map gives the same for a whole batch at once
// as for each of its records, and with `Tensor map_batch_element(const Tensor&) const` it says how:
// both make pipelines quick. `void check() const` finds fields that do not fit when the pipeline is
// made.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kd/data/generator.h"
#include "kd/data/transforms.h"
#include "kd/data/transforms_py.h"
#include "kd/implement.h"
#include "kd/tree/tree.h"

namespace kd::data {

// Whose rules hold where the reference's two backends differ.
enum class Backend { py, tf };

// A transform ready to be called; one of the functions is set, or `slice`.
struct Step {
  std::string name;  // "kd::data::ValueRange"
  std::function<Tree(Tree)> map = {};
  std::function<Tree(Tree)> map_batch = {};  // besides `map`, where it can be had
  std::function<Tree(Tree, const Generator&)> random_map = {};
  std::function<bool(const Tree&)> filter = {};
  std::optional<py::SliceDataset> slice = {};
};

struct TransformOps {
  Step (*bind)(std::shared_ptr<const void> transform, Backend backend);
};

Step bind(const Poly<Transform>& transform, Backend backend = Backend::py);

// Calls `fn` on the elements that `key` names; an Error when there is none of them.
Tree map_elements(const ElementKey& key, Tree record, const std::function<Tree(const Tree&)>& fn);
Tree map_tensors(const ElementKey& key, Tree record,
                 const std::function<Tensor(const Tensor&)>& fn);

namespace detail {

template <class T>
concept Maps = requires(const T& t, Tree record) {
  { t.map(record) } -> std::same_as<Tree>;
};
template <class T>
concept MapsElements = requires(const T& t, const Tensor& element) {
  { t.map_element(element) } -> std::convertible_to<Tensor>;
};
template <class T>
concept MapsElementsByBackend = requires(const T& t, const Tensor& element) {
  { t.map_element(element, Backend::py) } -> std::convertible_to<Tensor>;
};
template <class T>
concept MapsBatchElements = requires(const T& t, const Tensor& elements) {
  { t.map_batch_element(elements) } -> std::convertible_to<Tensor>;
};
template <class T>
concept MapsRandomly = requires(const T& t, Tree record, const Generator& rng) {
  { t.random_map(record, rng) } -> std::same_as<Tree>;
};
template <class T>
concept MapsElementsRandomly = requires(const T& t, const Tensor& element, Generator& rng) {
  { t.random_map_element(element, rng) } -> std::convertible_to<Tensor>;
};
template <class T>
concept Filters = requires(const T& t, const Tree& record) {
  { t.filter(record) } -> std::convertible_to<bool>;
};

template <class T>
constexpr bool maps_batches() {
  if constexpr (requires { T::maps_batches; }) return T::maps_batches;
  return false;
}

template <class T>
Step bind_as(std::shared_ptr<const void> transform, Backend backend) {
  auto self = std::static_pointer_cast<const T>(std::move(transform));
  if constexpr (requires { self->check(); }) self->check();
  Step step{.name = std::string(konfig::type_name<T>)};
  if constexpr (std::same_as<T, py::SliceDataset>) {
    step.slice = *self;
  } else if constexpr (Maps<T>) {
    step.map = [self](Tree record) { return self->map(std::move(record)); };
  } else if constexpr (MapsElementsByBackend<T>) {
    step.map = [self, backend](Tree record) {
      return map_tensors(*self->key, std::move(record), [&](const Tensor& element) -> Tensor {
        return self->map_element(element, backend);
      });
    };
  } else if constexpr (MapsElements<T>) {
    step.map = [self](Tree record) {
      return map_tensors(*self->key, std::move(record), [&](const Tensor& element) -> Tensor {
        return self->map_element(element);
      });
    };
  } else if constexpr (MapsRandomly<T>) {
    step.random_map = [self](Tree record, const Generator& rng) {
      return self->random_map(std::move(record), rng);
    };
  } else if constexpr (MapsElementsRandomly<T>) {
    step.random_map = [self](Tree record, const Generator& rng) {
      return map_tensors(*self->key, std::move(record), [&](const Tensor& element) -> Tensor {
        Generator copy = rng;
        return self->random_map_element(element, copy);
      });
    };
  } else {
    static_assert(Filters<T>,
                  "kd::data: a transform has map, map_element, random_map, random_map_element or "
                  "filter; see kd/data/transform.h");
    step.filter = [self](const Tree& record) -> bool { return self->filter(record); };
  }
  if constexpr (MapsBatchElements<T>) {
    step.map_batch = [self](Tree batch) {
      return map_tensors(*self->key, std::move(batch), [&](const Tensor& elements) -> Tensor {
        return self->map_batch_element(elements);
      });
    };
  } else if constexpr (maps_batches<T>()) {
    step.map_batch = step.map;
  }
  return step;
}

}  // namespace detail
}  // namespace kd::data

namespace kd {

template <>
struct Implement<Transform> {
  using Ops = data::TransformOps;
  template <class T>
  static constexpr Ops ops = {data::detail::bind_as<T>};
};

}  // namespace kd
