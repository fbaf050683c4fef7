// Which jobs of which units run, and in which order.
//
// SweepOrchestrator starts all jobs of every point of the sweep. One of your own is a struct in
// your file.cc and a line:
//
//   struct Ordered {
//     void plan(kxm::Orchestration& all) const {
//       for (auto& item : all.sweep) all.add(item).job("eval").after = {"train"};
//     }
//   };
//   KXM_COMPONENT(kxm::Orchestrator, Ordered);
//
// One that looks at results has `void step(Orchestration& all, const Progress& progress) const` as
// well: it is called when a unit has ended, and now and then, and adds or stops units.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "konfig/component.h"
#include "kxm/plan.h"
#include "kxm/sweep_info.h"

namespace kxm {

enum class UnitIs { waiting, running, finished, failed, stopped };

// What is known of a unit while the experiment runs.
struct UnitProgress {
  const PlannedUnit* unit = nullptr;
  UnitIs is = UnitIs::waiting;
};
using Progress = std::vector<UnitProgress>;  // by wid

// What an orchestrator works with.
class Orchestration {
 public:
  virtual ~Orchestration() = default;

  std::vector<SweepItem> sweep = {};   // the points of the experiment's sweep
  std::vector<std::string> jobs = {};  // the names of its jobs

  // A unit to be changed before the next one is added.
  struct Unit {
    PlannedUnit& planned;
    PlannedJob& job(std::string_view name) const;  // an Error when there is none
    void remove(std::string_view job) const;
  };
  // Adds a unit with all jobs.
  virtual Unit add(const SweepItem& item) = 0;
  virtual void reserve(std::size_t units) = 0;
  // Ends a unit of a running experiment; it counts as stopped.
  virtual void stop(int wid) = 0;
};

class Orchestrator {
 public:
  struct Ops {
    void (*plan)(const void* orchestrator, Orchestration& all);
    // nullptr: it does not look at results.
    void (*step)(const void* orchestrator, Orchestration& all, const Progress& progress);
  };
  template <class T>
  static constexpr auto step_of() -> void (*)(const void*, Orchestration&, const Progress&) {
    if constexpr (requires(const T& t, Orchestration& a, const Progress& p) { t.step(a, p); }) {
      return [](const void* o, Orchestration& all, const Progress& progress) {
        static_cast<const T*>(o)->step(all, progress);
      };
    } else {
      return nullptr;
    }
  }
  template <class T>
  static constexpr Ops ops = {
      [](const void* o, Orchestration& all) { static_cast<const T*>(o)->plan(all); }, step_of<T>()};
};

// An orchestrator that looks at results, with the plan it made.
class Steering {
 public:
  virtual ~Steering() = default;
  struct Changes {
    std::vector<PlannedUnit> added = {};
    std::vector<int> stopped = {};  // wids
  };
  virtual Changes step(const Progress& progress) = 0;
};

// One unit for each point of the sweep, with all jobs.
struct SweepOrchestrator {
  void plan(Orchestration& all) const;
};

}  // namespace kxm

KONFIG_COMPONENT(kxm::Orchestrator, kxm::SweepOrchestrator, "kauldron.kxm:SweepOrchestrator");
