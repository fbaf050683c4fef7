// Transforms that add elements or name them anew.
#include "kd/data/transforms/transforms_names.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>

#include <functional>

#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"

namespace kd::data::contrib {

namespace {

template <class Mask>
Tree with_mask(const Mask& self, Tree record, const std::function<Tensor(const Tensor&)>& good) {
  const Tensor& looked_at = self.mask_key
                                ? detail::element_of(record, *self.mask_key, "mask_key").tensor()
                                : detail::element_of(record, *self.key, "key").tensor();
  const Tensor mask = good(looked_at).to(at::kFloat);
  record[self.target_key.value_or(*self.key) + "_mask"] = mask;
  return record;
}

}  // namespace

Tree CreateRangeMask::map(Tree record) const {
  return with_mask(*this, std::move(record), [&](const Tensor& x) -> Tensor {
    return x.ge(*min_value).logical_and(x.le(*max_value));
  });
}

Tree CreateNonEqualMask::map(Tree record) const {
  return with_mask(*this, std::move(record),
                   [&](const Tensor& x) -> Tensor { return x.eq(*mask_value); });
}

Tree CreateMeshGridMask::map(Tree record) const {
  return with_mask(*this, std::move(record), [&](const Tensor& x) -> Tensor {
    detail::check_dims(x, 3, "(..., h, w, c)");
    const std::int64_t height = x.size(-3), width = x.size(-2);
    const Tensor column = at::arange(width, at::kFloat).expand({height, width});
    const Tensor row = at::arange(height, at::kFloat).unsqueeze(1).expand({height, width});
    return at::stack({column, row}, -1).unsqueeze(0);
  });
}

Tree AddStringField::map(Tree record) const {
  if (!overwrite_existing && record.find(*key)) {
    throw Error(ErrorKind::key, "key: there is an element '" + *key + "' already");
  }
  record[*key] = Tree(Tree::Texts{*value});
  return record;
}

Tree TreeUnflattenForKey::map(Tree record) const {
  const std::string prefix = *key + separator;
  if (separator.empty()) throw Error(ErrorKind::value, "separator: it is empty");
  Tree out = Tree::dict(), inner = Tree::dict();
  for (std::size_t i = 0; i < record.size(); ++i) {
    const std::string name(record.name(i));
    if (!name.starts_with(prefix)) {
      out[name] = record.child(i);
      continue;
    }
    Tree* place = &inner;
    std::size_t at = prefix.size();
    for (std::size_t end; (end = name.find(separator, at)) != name.npos;
         at = end + separator.size()) {
      Tree& next = (*place)[name.substr(at, end - at)];
      if (next.kind() != Tree::Kind::dict) next = Tree::dict();
      place = &next;
    }
    (*place)[name.substr(at)] = record.child(i);
  }
  if (inner.size() == 0) return record;
  out[*key] = std::move(inner);
  return out;
}

}  // namespace kd::data::contrib
