// How dashboards are made and merged.
#include "kd/inspect/dashboards.h"

#include <set>

#include "base/replace_all.h"
#include "konfig/error.h"

namespace kd::inspect {

using konfig::Error;
using konfig::ErrorKind;

namespace {

using Names = std::vector<std::string>;

void add(Names& to, const Names& more) { to.insert(to.end(), more.begin(), more.end()); }

void set_collections(Plot& plot, const Names& named, const char* field) {
  const std::set<std::string> given(plot.collections.begin(), plot.collections.end());
  if (plot.collections.empty()) {
    plot.collections = named;
  } else if (given != std::set<std::string>(named.begin(), named.end())) {
    throw Error(ErrorKind::value, "collections",
                std::string("they are not those of ") + field + "; leave them out");
  }
}

// Plots of the same keys become one, at the place of the first.
std::vector<Plot> merged_by_keys(const std::vector<Plot>& plots) {
  std::vector<std::vector<Plot>> groups;
  for (const Plot& plot : plots) {
    bool found = false;
    for (auto& group : groups) {
      if (*group[0].y_key != *plot.y_key || group[0].x_key != plot.x_key) continue;
      group.push_back(plot);
      found = true;
    }
    if (!found) groups.push_back({plot});
  }
  std::vector<Plot> out;
  for (auto& group : groups) out.push_back(merged(group));
  return out;
}

SingleDashboard of_keys(const std::string& name, const std::string& title, const Names& keys,
                        const std::string& collection) {
  SingleDashboard out{.name = name, .title = title};
  for (const std::string& key : keys) {
    out.plots.push_back({.y_key = name + "/" + key, .collections = {collection}});
  }
  return out;
}

void add_dashboard(MultiDashboards& to, const SingleDashboard& one) {
  SingleDashboard* known = to.dashboards.find(*one.name);
  if (!known) {
    to.dashboards[*one.name] = one;
    return;
  }
  if (*known->title != *one.title || known->in_overview != one.in_overview) {
    const bool titles = *known->title != *one.title;
    throw Error(ErrorKind::value, *one.name,
                titles ? "two dashboards of this name have other titles, '" + *known->title +
                             "' and '" + *one.title + "'"
                       : "of two dashboards of this name one is in the overview");
  }
  std::vector<Plot> plots = known->plots;
  plots.insert(plots.end(), one.plots.begin(), one.plots.end());
  known->plots = merged_by_keys(plots);
}

}  // namespace

Plot normalized(Plot plot) {
  if (!plot.facet_to_collections.empty() && !plot.collection_to_ykeys.empty()) {
    throw Error(ErrorKind::value, "collection_to_ykeys",
                "a plot has either it or facet_to_collections");
  }
  Names named;
  for (auto& [facet, collections] : plot.facet_to_collections) add(named, collections);
  if (!named.empty()) set_collections(plot, named, "facet_to_collections");
  named.clear();
  for (auto& [collection, keys] : plot.collection_to_ykeys) named.push_back(collection);
  if (!named.empty()) set_collections(plot, named, "collection_to_ykeys");
  return plot;
}

Plot merged(const std::vector<Plot>& plots) {
  if (plots.empty()) throw Error(ErrorKind::value, "there are no plots to merge");
  Plot out = normalized(plots[0]);
  for (std::size_t i = 1; i < plots.size(); ++i) {
    const Plot next = normalized(plots[i]);
    if (*next.y_key != *out.y_key || next.x_key != out.x_key) {
      throw Error(ErrorKind::value, "plots of '" + *out.y_key + "' over '" + out.x_key +
                                        "' and of '" + *next.y_key + "' over '" + next.x_key +
                                        "' do not become one");
    }
    add(out.collections, next.collections);
    for (auto& [facet, names] : next.facet_to_collections) {
      add(out.facet_to_collections[facet], names);
    }
    for (auto& [name, keys] : next.collection_to_ykeys) add(out.collection_to_ykeys[name], keys);
  }
  return out;
}

std::string title_of(const Plot& plot) {
  const std::string& key = *plot.y_key;
  if (!plot.remove_prefix) return key;
  const auto slash = key.find('/');
  return slash == key.npos ? "" : key.substr(slash + 1);
}

MultiDashboards dashboards_of(const SingleDashboard& one) {
  MultiDashboards out;
  add_dashboard(out, one);
  return out;
}

MultiDashboards dashboards_of(const MetricDashboards& all) {
  Names losses, metrics;
  for (auto& [name, loss] : all.losses) losses.push_back(name);
  if (losses.size() > 1) losses.push_back("total");
  for (auto& [name, metric] : all.metrics) metrics.push_back(name);
  MultiDashboards out;
  add_dashboard(out, of_keys("losses", "{xid}: Losses", losses, *all.collection));
  add_dashboard(out, of_keys("metrics", "{xid}: Metrics", metrics, *all.collection));
  return out;
}

MultiDashboards dashboards_of(const NoopDashboard&) { return {}; }

MultiDashboards merged(const std::vector<MultiDashboards>& all) {
  MultiDashboards out;
  for (const MultiDashboards& several : all) {
    for (auto& [name, one] : several.dashboards) add_dashboard(out, one);
  }
  return out;
}

MultiDashboards with_overview(const MultiDashboards& all) {
  SingleDashboard overview{.name = "overview", .title = "{xid}: Overview"};
  for (auto& [name, one] : all.dashboards) {
    if (one.in_overview) {
      overview.plots.insert(overview.plots.end(), one.plots.begin(), one.plots.end());
    }
  }
  overview.plots = merged_by_keys(overview.plots);
  return merged({dashboards_of(overview), all});
}

std::string title_of(const SingleDashboard& dashboard, const std::string& xid) {
  return base::replace_all(*dashboard.title, "{xid}", xid);
}

}  // namespace kd::inspect
