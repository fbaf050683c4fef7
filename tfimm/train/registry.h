// The classes that configs name, and what configures them.
//
//   struct ClassificationConfig {
//     Required<int> nb_classes;
//   };
//   struct ClassificationProblem {
//     using cfg_class = ClassificationConfig;
//     explicit ClassificationProblem(const ClassificationConfig& cfg);
//   };
//   CFG_SERIALIZABLE(ClassificationProblem);   // at global scope, in one source file
//
//   auto problem = get_class(cfg.problem_class)(cfg.problem);
//   problem.as<ClassificationProblem>();
//
// A constructor may take more than its config: `get_class(name)(cfg, timekeeping)` calls
// ClassificationProblem(const ClassificationConfig&, const Timekeeping&).
//
// The table is konfig's registry: a class is the symbol "tfimm.train:ClassificationProblem", and
// `kd config fields ClassificationConfig` shows its fields. Either name may stand in an x_class.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "konfig/register.h"
#include "tfimm/train/any.h"
#include "tfimm/train/config_class.h"
#include "tfimm/train/made.h"

namespace tfimm::train {

// A registered name.
struct ClassEntry {
  std::string name;          // "ClassificationProblem"
  ConfigClassPtr cfg_class;  // what configures it; its own description if it is a config
  bool is_class = true;      // false: a config class
  // Makes an object; empty: only its config is known here.
  std::function<Made(const Any& cfg, std::span<const Argument> more)> construct = {};
  // How many arguments after the config its constructors take.
  std::vector<std::size_t> arities = {};
  // The fields it is meant for, for help and completion: "dataset" is offered for `dataset_class`
  // and `train_dataset_class`; several have spaces between them; "": any field. A class has it as
  // `static constexpr std::string_view cfg_role`.
  std::string role = {};
  // What it is to programs, without making one: a class has it as `using cfg_interface = Base;`,
  // often by inheriting it; "": nothing more than itself.
  std::string interface = {};
  std::string place = {};    // where it is registered: "my_problem.cc:12"
  std::string problem = {};  // what is wrong with it: an Error to whoever asks for it
};

// Registers a class and its config class, each under its name; a config alone is `is_class =
// false`. A name that is taken is an Error with both places. The same place may register again, as
// a reloaded file does.
void cfg_serializable(const ClassEntry& entry);

class Class {
 public:
  explicit Class(const ClassEntry& entry) : entry_(&entry) {}
  const std::string& name() const { return entry_->name; }
  const ConfigClassPtr& cfg_class() const { return entry_->cfg_class; }
  // An object of the class, of its config and what else its constructor takes. A config of another
  // class and arguments that no constructor takes are Errors.
  template <class... More>
  Made operator()(const Any& cfg, More&&... more) const {
    const std::array<Argument, sizeof...(More)> arguments = {Argument(more, name())...};
    return make(cfg, arguments);
  }

 private:
  Made make(const Any& cfg, std::span<const Argument> more) const;
  const ClassEntry* entry_;  // the registry keeps it
};

// By the name of the class. An unknown name is an Error with the registered and the nearest ones.
Class get_class(const std::string& name);
// By the name of the class or of its config.
ConfigClassPtr get_cfg_class(const std::string& name);
// The same for `field_class`: the Error has only names that it may take. A class of another role is
// an Error, too, where classes of the right one are registered.
ConfigClassPtr get_cfg_class_for(std::string_view field, const std::string& name);
// By either name; nullptr: there is none.
const ClassEntry* find_entry(std::string_view name);
// Throws what is wrong with a registration, such as a name that another class has. For programs
// that have loaded somebody's classes: otherwise it is reported when the name is used.
void check_registered();
// Names that `field_class` may take, sorted: those whose role fits, or, where none has it, all that
// have no role. Configs alone are among them, configs of classes are not.
std::vector<std::string> class_names(std::string_view field);

namespace detail {

// At program start there is nobody to catch an Error: what is wrong is reported when the name is
// used.
bool add_at_start(ClassEntry entry, ConfigClassPtr (*describe)());

template <class T>
std::string bare_name() {
  constexpr std::string_view name = konfig::type_name<T>;
  return std::string(name.substr(name.find_last_of(':') + 1));
}

inline constexpr std::size_t kMostArguments = 8;  // after the config

template <class T, class Config, std::size_t... I>
void add_constructor(ClassEntry& entry, std::index_sequence<I...>) {
  if constexpr (std::is_constructible_v<T, const Config&,
                                        decltype((void)I, std::declval<const Argument&>())...>) {
    entry.arities.push_back(sizeof...(I));
    entry.construct = [others = std::move(entry.construct)](const Any& cfg,
                                                            std::span<const Argument> more) {
      if (more.size() != sizeof...(I)) return others(cfg, more);
      return Made(std::make_shared<T>(cfg.as<Config>(), more[I]...));
    };
  }
}

template <class T, class Config, std::size_t... N>
void add_constructors(ClassEntry& entry, std::index_sequence<N...>) {
  (..., add_constructor<T, Config>(entry, std::make_index_sequence<N>()));
}

template <class T>
bool add_class(const char* file, int line) {
  ClassEntry entry{
      .name = bare_name<T>(), .cfg_class = nullptr, .place = file + (":" + std::to_string(line))};
  if constexpr (requires { T::cfg_role; }) entry.role = T::cfg_role;
  if constexpr (requires { typename T::cfg_class; }) {
    using Config = typename T::cfg_class;
    if constexpr (requires { typename T::cfg_interface; }) {
      entry.interface = konfig::type_name<typename T::cfg_interface>;
    }
    add_constructors<T, Config>(entry, std::make_index_sequence<kMostArguments + 1>());
    return add_at_start(std::move(entry), &describe<Config>);
  } else {
    static_assert(konfig::Record<T>,
                  "tfimm: a class says what configures it, `using cfg_class = MyConfig;`, or is a "
                  "config class itself: a plain struct");
    entry.is_class = false;
    if constexpr (konfig::Record<T>) {
      return add_at_start(std::move(entry), &describe<T>);
    } else {
      return false;
    }
  }
}

}  // namespace detail
}  // namespace tfimm::train

// Registers a class with its `cfg_class`, or a config class that configures nothing. At global
// scope.
#define CFG_SERIALIZABLE(T) KONFIG_RUN(tfimm::train::detail::add_class<T>(__FILE__, __LINE__))
