// Which units an experiment has: one for each item of its sweep.
//
//   Experiment{.sweep_info = SimpleSweep{List{Dict{{"lr", 0.1}}, Dict{{"lr", 0.01}}}}}
//
// One of your own is a struct in your file.cc and a line:
//
//   struct Seeds {
//     int count = 3;
//     std::vector<konfig::Dict> points() const;   // or points(const kxm::SweepContext&)
//   };
//   KXM_COMPONENT(kxm::SweepInfo, Seeds);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "konfig/component.h"
#include "konfig/implement.h"
#include "konfig/value.h"
#include "kxm/config_provider.h"

// A component of an interface of kxm, in one source file.
#define KXM_COMPONENT(I, ...)             \
  KONFIG_LOCAL_COMPONENT(I, __VA_ARGS__); \
  KONFIG_IMPLEMENT(I, __VA_ARGS__)

namespace kxm {
struct SweepList;
}

// To configs it is the value that it holds.
template <>
inline const konfig::Type& konfig::type_of<kxm::SweepList>() {
  return type_of<Value>();
}

namespace kxm {

// One unit.
struct SweepItem {
  konfig::Dict job_kwargs = {};  // arguments that every job of the unit gets
  konfig::Dict ui_kwargs = {};   // the same, as people read them; empty: job_kwargs
  bool encoded = false;          // job_kwargs are texts already, quoted where that is needed
  // What only some jobs get, by their names: {"eval": {"args": {"batch": 8}, "env_vars": {...}}}.
  // It beats what the job itself and job_kwargs give; an unknown job or key is an Error.
  konfig::Dict per_job = {};
  const konfig::Dict& shown() const { return ui_kwargs.size() ? ui_kwargs : job_kwargs; }
};

// What a sweep is made from.
struct SweepContext {
  konfig::Value sweep = true;            // what --xp.sweep= says
  const LoadedConfig* config = nullptr;  // that of --cfg=, if there is one
  bool kauldron_jobs = false;            // the jobs come from that config
};

class SweepInfo {
 public:
  struct Ops {
    std::vector<SweepItem> (*points)(const void* sweep, const SweepContext& context);
    std::vector<std::string> (*tags)(const void* sweep, const SweepContext& context);
    bool waits;  // for --xp.sweep; others run when they are given
    bool one;    // it does not look at what --xp.sweep= names
  };
  template <class T>
  static std::vector<SweepItem> points_of(const T& sweep, const SweepContext& context);
  template <class T>
  static std::vector<std::string> tags_of(const T& sweep, const SweepContext& context) {
    if constexpr (requires { sweep.tags(context); }) {
      return sweep.tags(context);
    } else {
      return {"🧹"};
    }
  }
  template <class T>
  static constexpr bool waits = requires {
    requires T::waits_for_sweep;
  };
  template <class T>
  static constexpr bool one = !requires(const T& sweep, const SweepContext& context) {
    sweep.points(context);
  };
  template <class T>
  static constexpr Ops ops = {
      [](const void* s, const SweepContext& c) { return points_of(*static_cast<const T*>(s), c); },
      [](const void* s, const SweepContext& c) { return tags_of(*static_cast<const T*>(s), c); },
      waits<T>, one<T>};
};

// One unit.
struct NoSweep {
  std::vector<SweepItem> points() const;
  std::vector<std::string> tags(const SweepContext&) const { return {}; }
};

// A list of maps: from a config, from C++ maps, or from a function that gives them.
struct SweepList : konfig::Value {
  using Value::Value;
  SweepList(konfig::Value items) : Value(std::move(items)) {}
  SweepList(const std::vector<konfig::Dict>& items)
      : Value(konfig::List(std::vector<konfig::Value>(items.begin(), items.end()))) {}
  template <class F>
  requires std::is_invocable_r_v<std::vector<konfig::Dict>, F&> SweepList(F function)
      : SweepList(std::vector<konfig::Dict>(function())) {}
};

// A list of arguments, one map for each unit: the keys are arguments of the jobs.
struct SimpleSweep {
  static constexpr std::string_view konfig_raw_fields[] = {"items", "0"};
  SweepList items = konfig::List();  // a list of maps
  std::vector<SweepItem> points() const;
};

// The sweeps of the config file, which --xp.sweep= names; its keys are arguments of the jobs.
struct SweepFromCfg {
  static constexpr bool waits_for_sweep = true;
  std::vector<SweepItem> points(const SweepContext& context) const;
  std::vector<std::string> tags(const SweepContext& context) const;
};

// The same for KauldronJobs: its keys are paths of the config.
struct KauldronSweep {
  static constexpr bool waits_for_sweep = true;
  std::vector<SweepItem> points(const SweepContext& context) const;
  std::vector<std::string> tags(const SweepContext& context) const;
};

// What --xp.sweep= names: true is the sweep without a name, "a,b" and ["a", "b"] are two, "*" is
// all. `available` are the names that there are.
std::vector<std::string> sweep_names(const konfig::Value& sweep,
                                     const std::vector<std::string>& available);

// Every combination, the last list fastest; where two have a key, the later one's value counts.
std::vector<konfig::Dict> product(const std::vector<std::vector<konfig::Dict>>& sweeps);
// The first of each, the second of each, ...; lists of different lengths are an Error.
std::vector<konfig::Dict> zip(const std::vector<std::vector<konfig::Dict>>& sweeps);

// Config paths as arguments of KauldronJobs: "lr" becomes "cfg.lr", values become text.
SweepItem encode_sweep_item(const konfig::Dict& item);
// A value as people read it: what is more than a number or a text, as text.
konfig::Value shown_value(const konfig::Value& value);

std::vector<SweepItem> to_items(const std::vector<konfig::Dict>& dicts);

template <class T>
std::vector<SweepItem> SweepInfo::points_of(const T& sweep, const SweepContext& context) {
  auto get = [&] {
    if constexpr (requires { sweep.points(context); }) {
      return sweep.points(context);
    } else {
      return sweep.points();
    }
  };
  if constexpr (std::is_same_v<decltype(get()), std::vector<SweepItem>>) {
    return get();
  } else {
    return to_items(get());
  }
}

}  // namespace kxm

KONFIG_COMPONENT(kxm::SweepInfo, kxm::NoSweep, "kauldron.kxm:NoSweep");
KONFIG_COMPONENT(kxm::SweepInfo, kxm::SimpleSweep, "kauldron.kxm:SimpleSweep");
KONFIG_COMPONENT(kxm::SweepInfo, kxm::SweepFromCfg, "kauldron.kxm:SweepFromCfg");
KONFIG_COMPONENT(kxm::SweepInfo, kxm::KauldronSweep, "kauldron.kxm:KauldronSweep");
