#include "kd/inspect/dashboards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/konfig.h"

namespace kd::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> keys(const SingleDashboard& dashboard) {
  std::vector<std::string> out;
  for (const Plot& plot : dashboard.plots) out.push_back(*plot.y_key);
  return out;
}

using konfig::error_of;

MetricDashboards of(const char* collection, Map<Poly<Loss>> losses, Map<Poly<Metric>> metrics) {
  return {.collection = collection, .losses = std::move(losses), .metrics = std::move(metrics)};
}

TEST(Dashboards, CollectionsOfOneKeyStandTogether) {
  const MultiDashboards all =
      merged({dashboards_of(of("train", {{"xent", {}}}, {{"accuracy", {}}})),
              dashboards_of(of("eval", {{"xent", {}}, {"l2", {}}}, {{"psnr", {}}})),
              dashboards_of(NoopDashboard{})});
  const SingleDashboard& losses = all.dashboards.at("losses");
  // The sum is of the collection that has several.
  EXPECT_THAT(keys(losses), ElementsAre("losses/xent", "losses/l2", "losses/total"));
  EXPECT_THAT(losses.plots[0].collections, ElementsAre("train", "eval"));
  EXPECT_THAT(losses.plots[2].collections, ElementsAre("eval"));
  EXPECT_THAT(keys(all.dashboards.at("metrics")), ElementsAre("metrics/accuracy", "metrics/psnr"));
  EXPECT_EQ(title_of(losses, "7"), "7: Losses");
  EXPECT_EQ(title_of(losses.plots[0]), "xent");

  const MultiDashboards shown = with_overview(all);
  EXPECT_EQ(shown.dashboards.begin()->first, "overview");
  EXPECT_EQ(shown.dashboards.at("overview").plots.size(), 5u);
}

TEST(Dashboards, WhatDoesNotFitIsAnError) {
  SingleDashboard one{.name = "a", .title = "A", .plots = {{.y_key = "x"}}};
  SingleDashboard other = one;
  other.title = "B";
  EXPECT_THAT(error_of([&] {
                merged({dashboards_of(one), dashboards_of(other)});
              }),
              HasSubstr("'A' and 'B'"));
  other = one;
  other.in_overview = false;
  EXPECT_THAT(error_of([&] {
                merged({dashboards_of(one), dashboards_of(other)});
              }),
              HasSubstr("overview"));
  EXPECT_THAT(with_overview(dashboards_of(other)).dashboards.at("overview").plots, IsEmpty());
  const Plot x{.y_key = "x"}, y{.y_key = "y"};
  EXPECT_THAT(error_of([&] { merged(std::vector<Plot>{x, y}); }), HasSubstr("'x' over 'step'"));
}

TEST(Dashboards, CollectionsFollowFromTheMaps) {
  Plot plot{.y_key = "x", .facet_to_collections = {{"f", {"a", "b"}}, {"g", {"c"}}}};
  EXPECT_THAT(normalized(plot).collections, ElementsAre("a", "b", "c"));
  plot.collections = {"a"};
  EXPECT_THAT(error_of([&] { normalized(plot); }), HasSubstr("facet_to_collections"));
  plot.collections = {};
  plot.collection_to_ykeys = {{"a", {"x", "y"}}};
  EXPECT_THAT(error_of([&] { normalized(plot); }), HasSubstr("either"));
  plot.facet_to_collections.clear();
  EXPECT_THAT(normalized(plot).collections, ElementsAre("a"));
  const Plot two = merged(std::vector<Plot>{plot, plot});
  EXPECT_EQ(two.collection_to_ykeys.at("a").size(), 4u);
  // As a config.
  const auto node = konfig::call("kauldron.utils.kdash:Plot", {{"y_key", "losses/a"}});
  EXPECT_EQ(*konfig::resolve<Plot>(node)->y_key, "losses/a");
}

}  // namespace
}  // namespace kd::inspect
