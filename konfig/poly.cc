#include "konfig/poly.h"

#include "konfig/copy_scope.h"
#include "konfig/live.h"

namespace konfig {

PolyBase::PolyBase(const PolyBase& other) : spec_(detail::copy_spec(other.spec_)) {}

PolyBase& PolyBase::operator=(const PolyBase& other) {
  if (this != &other) spec_ = detail::copy_spec(other.spec_);
  return *this;
}

void PolyBase::set_object(const Type& type, std::shared_ptr<const void> object) {
  spec_ = std::make_shared<detail::Spec>(
      detail::Spec{.type = &type,
                   .value = std::const_pointer_cast<void>(std::move(object)),
                   .sharing = detail::Sharing::frozen});
}

const void* PolyBase::get(std::string_view type_name) const {
  if (!holds(type_name)) {
    throw Error(ErrorKind::type, "expected " + std::string(type_name) + ", got " +
                                     (spec_ ? std::string(spec_->type->name) : "nothing"));
  }
  return spec_->value.get();
}

void* PolyBase::get_to_write(std::string_view type_name) {
  get(type_name);
  if (spec_->sharing == detail::Sharing::frozen) {
    spec_ = detail::clone_spec(*spec_);
    spec_->sharing = detail::Sharing::owned;
  }
  return spec_->value.get();
}

namespace detail {

std::shared_ptr<Spec> make_spec(const Type& type, void* from) {
  return std::make_shared<Spec>(Spec{.type = &type, .value = take_object(type, from)});
}

std::shared_ptr<Spec> make_shared_spec(const Type& type, void* from) {
  auto spec = make_spec(type, from);
  spec->sharing = Sharing::shared;
  spec->ids = {next_id()};
  add_live_node(spec);
  return spec;
}

}  // namespace detail

}  // namespace konfig
