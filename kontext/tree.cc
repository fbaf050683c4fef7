// TreeRef: what needs no template.
#include "kontext/tree.h"

#include <algorithm>

#include "kontext/describe_impl.h"

namespace kontext {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr TreeOps kNoneOps = {.type = konfig::type_name<None>,
                              .spoken = "NoneType",
                              .shape = Shape::none,
                              .value = [](const TreeRef&) { return Value(); }};
constexpr None kNone;

Value container_value(const TreeRef& tree) {
  if (tree.shape() == Shape::list || tree.shape() == Shape::tuple) {
    std::vector<Value> items;
    tree.each([&](const Part&, const TreeRef& child) {
      items.push_back(child.value());
      return false;
    });
    if (tree.shape() == Shape::tuple) return konfig::Tuple(std::move(items));
    return konfig::List(std::move(items));
  }
  konfig::Dict out;
  tree.each([&](const Part& part, const TreeRef& child) {
    out.set(part.value(), child.value());
    return false;
  });
  return out;
}

}  // namespace

TreeRef TreeRef::none() { return TreeRef(&kNone, &kNoneOps); }

bool TreeRef::each(const Visit& visit) const {
  if (!ops_->each) return false;
  return ops_->each(
      *this, [&](const Part& part, const TreeRef& child) { return visit(part, step(child)); });
}

std::size_t TreeRef::size() const {
  std::size_t n = 0;
  each([&](const Part&, const TreeRef&) {
    ++n;
    return false;
  });
  return n;
}

Value TreeRef::value() const {
  if (ops_->value) return ops_->value(*this);
  if (is_container() && ops_->each) return container_value(*this);
  throw Error(ErrorKind::unsupported,
              with_article(type_name()) + " has no form as a konfig::Value");
}

void TreeRef::set(const Part& part, const TreeRef& value) const {
  if (!writable_) {
    throw Error(ErrorKind::unsupported, "the " + std::string(type_name()) + " is read-only");
  }
  if (!ops_->set) {
    throw Error(ErrorKind::value, with_article(type_name()) + " cannot be changed in part");
  }
  ops_->set(*this, part, value);
}

void TreeRef::fail_as(std::string_view wanted) const {
  throw Error(ErrorKind::type, "expected " + with_article(wanted) + ", found " +
                                   (ops_ ? with_article(type()) : "nothing"));
}

namespace detail {

void fail_assign(std::string_view wanted, const TreeRef& from) {
  throw Error(ErrorKind::type,
              "expected " + std::string(wanted) + ", found " + with_article(from.type_name()));
}

void fail_no_field(const TreeRef& record, const Part& part) {
  throw Error(ErrorKind::key, missing_text(record, part));
}

void fail_no_index(const TreeRef& list, const Part& part) {
  throw Error(part.index() ? ErrorKind::index : ErrorKind::type, missing_text(list, part));
}

void fail_key_type(const Part& part, std::string_view wanted) {
  throw Error(ErrorKind::type,
              "the keys of this map are " + std::string(wanted) + ", not " + part.str());
}

void expect_shape(const TreeRef& from, std::initializer_list<Shape> shapes,
                  std::string_view wanted) {
  if (std::ranges::find(shapes, from.shape()) == shapes.end()) fail_assign(wanted, from);
}

void expect_size(const TreeRef& from, std::size_t size) {
  if (from.size() == size) return;
  throw Error(ErrorKind::value,
              "expected " + std::to_string(size) + " items, found " + std::to_string(from.size()));
}

}  // namespace detail
}  // namespace kontext
