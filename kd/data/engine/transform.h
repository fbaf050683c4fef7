// What a transform may have, and how a pipeline calls it. One of:
//
//   Tree map(Tree record) const;
//   Tensor map_element(const Tensor& element) const;           // of the elements `key`
//   Tree random_map(Tree record, const Generator& rng) const;
//   Tensor random_map_element(const Tensor& element, Generator& rng) const;
//   bool filter(const Tree& record) const;                     // false: the record is left out
//   std::vector<Tree> split(const Tree& record) const;         // as many records of each
//
// Each element gets a copy of `rng`.
//
// With `static constexpr bool maps_batches = true` a map gives the same for a whole batch at once
// as for each of its records, and with `Tensor map_batch_element(const Tensor&) const` it says how:
// both make pipelines quick. A `random_map_element` that begins with a crop of an image may have
// `ImageBox cut_box(height, width, rng) const` and `Tensor after_cut(const Tensor&) const` besides:
// then only that part of a JPEG is decoded. `void check() const` finds fields that do not fit when
// the pipeline is made.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/implement.h"
#include "kd/data/engine/step.h"

namespace kd::data::detail {

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
concept Cuts = requires(const T& t, const Tensor& element, Generator& rng) {
  { t.cut_box(std::int64_t{}, std::int64_t{}, rng) } -> std::same_as<ImageBox>;
  { t.after_cut(element) } -> std::convertible_to<Tensor>;
};
template <class T>
concept Filters = requires(const T& t, const Tree& record) {
  { t.filter(record) } -> std::convertible_to<bool>;
};

template <class T>
concept Splits = requires(const T& t, const Tree& record) {
  { t.split(record) } -> std::same_as<std::vector<Tree>>;
};

template <class T>
constexpr bool maps_batches() {
  if constexpr (requires { T::maps_batches; }) return T::maps_batches;
  return false;
}

// Of one element that stays where it is.
template <class T>
std::optional<Cut> cut_of(const std::shared_ptr<const T>& self) {
  const auto pairs = self->key->pairs();
  if (pairs.size() != 1 || pairs[0].first != pairs[0].second) return {};
  return Cut{.element = pairs[0].first,
             .box =
                 [self](std::int64_t height, std::int64_t width, const Generator& rng) {
                   Generator copy = rng;
                   return self->cut_box(height, width, copy);
                 },
             .rest =
                 [self](Tree record) {
                   return map_tensors(
                       *self->key, std::move(record),
                       [&](const Tensor& part) -> Tensor { return self->after_cut(part); });
                 }};
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
  } else if constexpr (Splits<T>) {
    step.split = [self](const Tree& record) { return self->split(record); };
  } else {
    static_assert(Filters<T>,
                  "kd::data: a transform has map, map_element, random_map, random_map_element, "
                  "split or filter; see kd/data/engine/transform.h");
    step.filter = [self](const Tree& record) -> bool { return self->filter(record); };
  }
  if constexpr (Cuts<T>) step.cut = cut_of(self);
  if constexpr (requires { self->keeps_elements(); }) step.keeps_elements = self->keeps_elements();
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

}  // namespace kd::data::detail

namespace kd {

template <>
struct Implement<Transform> {
  using Ops = data::TransformOps;
  template <class T>
  static constexpr Ops ops = {data::detail::bind_as<T>};
};

}  // namespace kd
