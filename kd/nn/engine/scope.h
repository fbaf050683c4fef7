// What a module's call may use: parameters, state, random keys, the train property, intermediates.
//
//   Tensor call(const Tensor& x) const {
//     Tensor kernel = nn::param("kernel", {x.size(-1), features}, nn::initializers::LecunNormal{});
//     Tensor y = x.matmul(kernel);
//     if (is_training) y = y + random::normal(nn::make_rng("default"), y.sizes());
//     interms["before_relu"] = y;
//     return nn::relu(y);
//   }
//   static constexpr nn::TrainProperty is_training{};
//   static constexpr nn::IntermsProperty interms{};
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kd/nn/engine/apply.h"
#include "kd/nn/engine/initializer.h"

namespace kd::nn {

using MakeTensor = std::function<Tensor(const random::Key& key)>;

namespace detail {
Tensor find_or_make(std::string_view name, at::IntArrayRef shape, const MakeTensor& make);

// An initializer is called with more than a key: whether it is such a function cannot be asked.
template <class F>
concept MakesTensor = !std::derived_from<F, konfig::PolyBase> &&
                      std::is_invocable_r_v<Tensor, const F&, const random::Key&>;
}  // namespace detail

// The parameter of this name in the module's scope: made in init, found in apply, where an Error
// tells of a missing one or another shape. `make` is a MakeTensor.
template <detail::MakesTensor F>
Tensor param(std::string_view name, at::IntArrayRef shape, const F& make) {
  return detail::find_or_make(name, shape, make);
}
Tensor param(std::string_view name, at::IntArrayRef shape, const Poly<Initializer>& initializer,
             at::ScalarType dtype = at::kFloat);

// A tensor that changes from call to call, such as a running mean.
class Variable {
 public:
  Variable(std::string collection, std::string name)
      : collection_(std::move(collection)), name_(std::move(name)) {}
  Tensor get() const;
  void set(Tensor value) const;  // an Error when the collection is not mutable

 private:
  std::string collection_, name_;
};
Variable variable(std::string_view collection, std::string_view name,
                  const std::function<Tensor()>& make);

// The next key of a stream; one that is missing is served by "params".
random::Key make_rng(std::string_view stream = "default");
bool has_rng(std::string_view stream);

bool is_initializing();
bool is_mutable(std::string_view collection);
std::string scope_path();  // "encoder.layers_0"; "" at the root

// Whether this call trains. Reading it outside a call, or when `is_training_property` was not
// given, is an Error.
bool is_training();
// `static constexpr nn::TrainProperty is_training{};` as a member, `if (is_training)` in a call.
struct TrainProperty {
  operator bool() const { return nn::is_training(); }
};
// Another value for the calls in this block: `nn::set_train_property frozen(false);`
class set_train_property {
 public:
  explicit set_train_property(bool is_training);
  ~set_train_property();
  set_train_property(const set_train_property&) = delete;
  set_train_property& operator=(const set_train_property&) = delete;
};

// Appends to `interms.<module>.<name>`; into another collection if that is mutable.
void sow(std::string_view name, kontext::TreeRef value);
void sow(std::string_view collection, std::string_view name, kontext::TreeRef value);

// `interms["h"] = x` appends, `interms["h"]` gives the last; `get_by_path(".sub.__call__[0]")` is
// relative to the module, one more dot for each parent.
struct IntermsProperty {
  struct Item {
    std::string name;
    void operator=(const Tensor& value) const { sow(name, kontext::TreeRef::own(value)); }
    operator Tensor() const;
  };
  Item operator[](std::string name) const { return {std::move(name)}; }
  kontext::TreeRef get_by_path(std::string_view path) const;
};

}  // namespace kd::nn
