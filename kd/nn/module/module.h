// Module: a model or a layer. A struct whose fields are its configuration, with a `call`.
//
//   struct Mlp : nn::Module<Mlp> {
//     Key image = "batch.image";
//     int hidden = 128;
//     Tensor call(Float<"*b h w c"> image) const {                     // checked at each call
//       Tensor y = nn::Dense{.features = hidden}(nn::flatten(image));  // parameters in Dense_0
//       return nn::Dense{.features = 10}(nn::relu(y));                 // Dense_1
//     }
//   };
//   KD_COMPONENT(kd::Module, Mlp);   // a config can name it
//
//   Tree variables = model.init({.rngs = random::key(0)}, image);
//   Tensor logits = model.apply(variables, {}, image);
//
// Calling a module inside another one's call joins its scope: modules in fields are named by the
// field (`encoder`, `layers_0`), others by type and number in the order of their calls. An object
// that is called twice shares its parameters; so do copies of a Poly. Kept free of libtorch:
// calling needs kd/nn/engine/nn.h.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "kd/core/implement.h"
#include "kd/core/interfaces.h"
#include "kd/nn/module/arguments.h"
#include "kd/nn/module/frame.h"
#include "kd/typing/typing_fwd.h"
#include "konfig/make_type.h"

namespace kd {
class Tree;  // kd/core/tree.h
}

namespace kd::nn {

struct With;  // kd/nn/engine/apply.h

namespace detail {

constexpr std::string_view short_name(std::string_view type) {
  auto colon = type.rfind(':');
  return colon == type.npos ? type : type.substr(colon + 1);
}

template <class T>
inline constexpr ModuleInfo info_of = {konfig::type_name<T>, short_name(konfig::type_name<T>),
                                       &konfig::type_of<T>};

template <class Self>
concept AnnotatedCall = requires {
  requires typing::has_annotations<decltype(&Self::call)>;
};

// Modules that take `const Arguments&` take anything.
template <class Self, class... A>
decltype(auto) invoke_call(const Self& self, A&&... args) {
  if constexpr (requires { self.call(std::forward<A>(args)...); }) {
    if constexpr (AnnotatedCall<Self> &&
                  requires(decltype(&Self::call) f) { (self.*f)(std::forward<A>(args)...); }) {
      return typing::call_checked<&Self::call>(self, std::forward<A>(args)...);
    } else {
      return self.call(std::forward<A>(args)...);
    }
  } else if constexpr (requires { self.call(Arguments()); }) {
    return self.call(arguments(args...));
  } else {
    return self.call(std::forward<A>(args)...);  // for the compiler's own message
  }
}

template <class Self, class F>
auto run_in_scope(const Identity& identity, bool record, const F& body) {
  Frame frame(info_of<Self>, identity);
  try {
    auto out = body();
    if (record && frame.recording()) frame.record(kontext::TreeRef::own(out));
    return out;
  } catch (...) {
    frame.rethrow();
  }
}

template <class Self, class... A>
auto run_call(const Self& self, const Identity& identity, A&&... args) {
  return run_in_scope<Self>(identity, true, [&] {
    if (listing_calls) list_call(arguments_of(args...));
    return invoke_call(self, std::forward<A>(args)...);
  });
}

}  // namespace detail

template <class Self>
struct Module {
  Module() = default;
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  ~Module() {
    if (detail::on_destroy) detail::on_destroy(static_cast<const Self*>(this));
  }

  template <class... A>
  auto operator()(A&&... args) const& {
    return detail::run_call(self(), {.object = &self()}, std::forward<A>(args)...);
  }
  template <class... A>
  auto operator()(A&&... args) && {
    return detail::run_call(self(), {.object = &self(), .temporary = true},
                            std::forward<A>(args)...);
  }

  // The variables of a first call: {"params": ..., "batch_stats": ...}.
  template <class... A>
  Tree init(const With& with, A&&... args) const;
  // The call with these variables. Pure: changed collections are in the result.
  template <class... A>
  auto apply(const Tree& variables, const With& with, A&&... args) const;

 protected:
  // The body of a further method that uses the module's parameters: `attend` beside `call`.
  template <class F>
  auto in_scope(const F& body) const {
    return detail::run_in_scope<Self>({.object = &self()}, false, body);
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

// A module with a name of its own: `nn::named("query", nn::Dense{.features = 8})(x)`. The name ""
// stands for the scope of the parent.
template <class T>
class Named {
 public:
  Named(std::string name, T module) : name_(std::move(name)), module_(std::move(module)) {}
  template <class... A>
  auto operator()(A&&... args) const {
    return detail::run_call(module_, {.object = &module_, .name = &name_},
                            std::forward<A>(args)...);
  }

 private:
  std::string name_;
  T module_;
};
template <class T>
requires std::is_base_of_v<Module<T>, T> Named<T> named(std::string name, T module) {
  return Named<T>(std::move(name), std::move(module));
}

// A module of any type in a scope of this name.
Out call_named(const std::string& name, const Poly<kd::Module>& module, const Arguments& args);
Out call_module(const Poly<kd::Module>& module, const Arguments& args);

}  // namespace kd::nn

namespace kd {

// `encoder(x)` for a field `Poly<Module> encoder`.
template <class... A>
nn::Out poly_call(const Module*, const Poly<Module>& module, const A&... args) {
  return nn::call_module(module, nn::arguments(args...));
}

}  // namespace kd
