// Dashboards: which curves of a run stand together. They say what is drawn; nothing here draws.
//
//   auto all = inspect::merged({inspect::dashboards_of({.collection = "train", .losses = ...}),
//                               inspect::dashboards_of({.collection = "eval", .losses = ...})});
//   all = inspect::with_overview(all);
#pragma once

#include <string>
#include <vector>

#include "kd/core/interfaces.h"

namespace kd::inspect {

// One plot of a dashboard. At most one of the two maps is given; `collections` follows from it.
struct Plot {
  Required<std::string> y_key;                              // "losses/total"
  std::string x_key = "step";                               // what it is drawn over
  std::vector<std::string> collections = {};                // "train", "eval": a curve each
  Map<std::vector<std::string>> facet_to_collections = {};  // a picture for each facet
  Map<std::vector<std::string>> collection_to_ykeys = {};   // several keys of a collection
  bool remove_prefix = true;                                // "total" as its title
};

// Plots under one name.
struct SingleDashboard {
  Required<std::string> name;    // "losses"
  Required<std::string> title;   // "{xid}: Losses"
  std::vector<Plot> plots = {};  // in this order
  bool in_overview = true;       // shown in the overview, too
};

// The losses and metrics of a collection, by name.
struct MetricDashboards {
  Required<std::string> collection;  // "train"
  Map<Poly<Loss>> losses = {};       // the sum is added when there are several
  Map<Poly<Metric>> metrics = {};    // a plot for each
};

// Several, by name.
struct MultiDashboards {
  Map<SingleDashboard> dashboards = {};  // each under its name
};

// None.
struct NoopDashboard {};

// A plot whose collections are filled in; an Error when its fields contradict each other.
Plot normalized(Plot plot);
// Of the same keys: the collections of all. An Error when the keys differ.
Plot merged(const std::vector<Plot>& plots);
std::string title_of(const Plot& plot);

MultiDashboards dashboards_of(const SingleDashboard& one);
MultiDashboards dashboards_of(const MetricDashboards& metrics);
MultiDashboards dashboards_of(const NoopDashboard& none);
// Those of one name become one, plots of the same keys, too. An Error when their titles differ, or
// only one of them is in the overview.
MultiDashboards merged(const std::vector<MultiDashboards>& all);
// A first one, "overview", has the plots of all that want to be there.
MultiDashboards with_overview(const MultiDashboards& all);
// With the name of the experiment in place of {xid}.
std::string title_of(const SingleDashboard& dashboard, const std::string& xid);

}  // namespace kd::inspect

KONFIG_TYPE(kd::inspect::Plot, "kauldron.utils.kdash:Plot");
KONFIG_TYPE(kd::inspect::SingleDashboard, "kauldron.utils.kdash:SingleDashboard");
KONFIG_TYPE(kd::inspect::MetricDashboards, "kauldron.utils.kdash:MetricDashboards");
KONFIG_TYPE(kd::inspect::MultiDashboards, "kauldron.utils.kdash:MultiDashboards");
KONFIG_TYPE(kd::inspect::NoopDashboard, "kauldron.utils.kdash:NoopDashboard");
