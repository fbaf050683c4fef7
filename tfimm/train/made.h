// Made: an object that a registered class made, and Argument: something its constructor is handed.
//
//   Made task = get_class("Fit")(cfg, factor);   // calls Fit(const FitConfig&, int)
//   task.as<Fit>();                              // what it is
//   task.as<Task>();                             // a public base of it
//   Made loop = get_class("Loop")(loop_cfg, task, name);
//
// Code that composes an experiment knows the names of classes, not their types: constructors and
// bases are found at run time, and what does not fit is an Error.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "konfig/names.h"

namespace tfimm::train {

namespace detail {

// An object of a type that is known where it was made.
struct Erased {
  std::string_view type_name = {};
  void* object = nullptr;
  // Throws the object as a pointer of its own type: the one question that C++ answers at run time
  // for any base, of a class without virtual functions too, is whether a handler catches it.
  void (*raise)(void* object) = nullptr;

  template <class T>
  static Erased of(T& object) {
    Erased out{.type_name = konfig::type_name<T>, .object = &object};
    if constexpr (std::is_class_v<T>) out.raise = [](void* p) { throw static_cast<T*>(p); };
    return out;
  }

  // nullptr: it is neither a T nor derived from one.
  template <class T>
  T* find() const {
    if (type_name == konfig::type_name<T>) return static_cast<T*>(object);
    if constexpr (std::is_class_v<T>) {
      try {
        if (raise) raise(object);
      } catch (T* base) {  // NOLINT(misc-throw-by-value-catch-by-reference): see `raise`
        return base;
      } catch (...) {  // a pointer to anything else
      }
    }
    return nullptr;
  }
};

// `taker` is the class whose constructor wants it; "": nobody's.
[[noreturn]] void fail_other_type(std::string_view expected, const Erased& got,
                                  std::string_view taker = {});

}  // namespace detail

class Made {
 public:
  template <class T>
  explicit Made(std::shared_ptr<T> object)
      : erased_(detail::Erased::of(*object)), object_(std::move(object)) {}

  // The object, which must be a T or derived from it: an Error otherwise.
  template <class T>
  T& as() const {
    if (T* found = erased_.find<T>()) return *found;
    detail::fail_other_type(konfig::type_name<T>, erased_);
  }
  // The same as a pointer that keeps it alive.
  template <class T>
  std::shared_ptr<T> share() const {
    return std::shared_ptr<T>(object_, &as<T>());
  }

 private:
  friend class Argument;
  detail::Erased erased_;
  std::shared_ptr<void> object_;
};

// What the constructor of the class `taker` takes after the config. It converts to a reference to
// its type or to a base.
class Argument {
 public:
  template <class T>
  Argument(T& value, std::string_view taker) : erased_(detail::Erased::of(value)), taker_(taker) {
    static_assert(!std::is_const_v<T>,
                  "tfimm: a constructor found at run time may change its arguments; hand over a "
                  "copy of what is const");
  }
  Argument(Made& made, std::string_view taker)
      : erased_(made.erased_), made_(&made), taker_(taker) {}

  template <class T>
  operator T&() const {  // NOLINT(google-explicit-constructor): it stands for the argument
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, Made>) {
      if (made_) return *made_;
    }
    if (Plain* found = erased_.find<Plain>()) return *found;
    detail::fail_other_type(konfig::type_name<Plain>, erased_, taker_);
  }

  std::string_view type_name() const { return erased_.type_name; }

 private:
  detail::Erased erased_;
  Made* made_ = nullptr;
  std::string_view taker_;
};

}  // namespace tfimm::train
