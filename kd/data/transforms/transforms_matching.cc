// Transforms of elements with certain names.
#include "kd/data/transforms/transforms_matching.h"

#include <ATen/ops/flip.h>

#include <algorithm>
#include <functional>

#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"
#include "kd/data/transforms/transforms_tf.h"

namespace kd::data::contrib {

namespace {

template <class T>
void check_choice(const T& self) {
  if (!self.should_transform_pred.is_none()) {
    throw Error(ErrorKind::unsupported, "should_transform_pred",
                "expected None: a Python function cannot be called here; choose elements by name "
                "with matching_keys(strs=[...])");
  }
  if (self.strs.list().empty()) {
    throw Error(ErrorKind::required, "strs",
                "no element is chosen; write matching_keys(strs=[...]), or strs=[...]");
  }
}

// Elements of elements, too; the innermost name counts.
template <class T>
Tree map_matching(const T& self, Tree record, const std::function<Tensor(const Tensor&)>& fn) {
  for (std::size_t i = 0; i < record.size(); ++i) {
    const std::string name(record.name(i));
    Tree& child = record[name];
    auto contains = [&](const std::string& part) { return name.find(part) != name.npos; };
    if (child.kind() == Tree::Kind::dict) {
      child = map_matching(self, std::move(child), fn);
    } else if (std::ranges::any_of(self.strs.list(), contains) &&
               std::ranges::none_of(self.strs_to_exclude.list(), contains)) {
      try {
        child = fn(child.tensor());
      } catch (const Error& e) {
        throw in_place(name, e);
      }
    }
  }
  return record;
}

}  // namespace

void FlipUpsideDown::check() const { check_choice(*this); }
Tree FlipUpsideDown::map(Tree record) const {
  return map_matching(*this, std::move(record), [](const Tensor& image) -> Tensor {
    detail::check_dims(image, 3, "(..., h, w, c)");
    return at::flip(image, {-3});
  });
}

void ValueRange::check() const { check_choice(*this); }
Tree ValueRange::map(Tree record) const {
  const data::ValueRange range{.key = "",
                               .vrange = vrange,
                               .in_vrange = in_vrange,
                               .dtype = dtype,
                               .clip_values = clip_values};
  return map_matching(*this, std::move(record),
                      [&](const Tensor& x) -> Tensor { return range.map_element(x); });
}

void Resize::check() const { check_choice(*this); }
Tree Resize::map(Tree record) const {
  const tf::Resize resize{.key = "", .height = height, .width = width, .method = method};
  return map_matching(*this, std::move(record),
                      [&](const Tensor& x) -> Tensor { return resize.map_element(x); });
}

}  // namespace kd::data::contrib
