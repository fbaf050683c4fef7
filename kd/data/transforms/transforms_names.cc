// Transforms that add elements or name them anew.
#include "kd/data/transforms/transforms_names.h"

#include <functional>

#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/suggest.h"

namespace kd::data::contrib {

namespace {

const Tree& element_of(const Tree& record, const std::string& name, const char* field) {
  if (const Tree* found = record.find(name)) return *found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record.size(); ++i) names.emplace_back(record.name(i));
  throw Error(ErrorKind::key, std::string(field) + ": there is no element '" + name + "'" +
                                  konfig::did_you_mean(name, names));
}

template <class Mask>
Tree with_mask(const Mask& self, Tree record, const std::function<Tensor(const Tensor&)>& good) {
  const Tensor& looked_at = self.mask_key ? element_of(record, *self.mask_key, "mask_key").tensor()
                                          : element_of(record, *self.key, "key").tensor();
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
