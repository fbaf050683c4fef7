// Curves of runs, as panels, text, SVG and PNG.
#include "cli/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/temp_folder.h"
#include "cli/errors.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Plot : public ::testing::Test {
 protected:
  Plot() {
    for (const char* run : {"a", "b"}) {
      for (const char* collection : {"train", "eval"}) write(folder_ / run / collection);
    }
  }

  static void write(const fs::path& folder) {
    fs::create_directories(folder);
    std::ofstream out(folder / "metrics.jsonl");
    out << R"({"step": 0, "time": 1.5, "texts": {"config": "x"}})"
        << "\n";
    for (int i = 0; i <= 50; ++i) {
      out << R"({"step": )" << 10 * i << R"(, "time": 1.5, "scalars": {"losses/total": )"
          << std::exp(-i / 10.0) << R"(, "metrics/acc": )" << (i == 20 ? "NaN" : "0.5")
          << R"(, "perf_stats/steps_per_sec": 7.0}})"
          << "\n";
    }
    out << R"({"step": 510, "sc)";  // still being written
  }
  PlotOptions options() const {
    return {.workdirs = {(folder_ / "a").string(), (folder_ / "b/").string()}};
  }
  std::string failure_of(const PlotOptions& options) const {
    try {
      read_panels(options);
    } catch (const Failure& e) {
      return e.what();
    }
    return "no failure";
  }
  base::TempFolder temp_{"kd_plot_"};
  fs::path folder_ = temp_.path();
};

TEST_F(Plot, Panels) {
  const auto panels = read_panels(options());
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[0].title, "losses/total");
  EXPECT_EQ(panels[1].title, "metrics/acc");
  ASSERT_EQ(panels[0].curves.size(), 4u);
  EXPECT_EQ(panels[0].curves[0].label, "a eval");
  EXPECT_EQ(panels[0].curves[3].label, "b train");
  ASSERT_EQ(panels[0].curves[0].points.size(), 51u);
  EXPECT_EQ(panels[0].curves[0].points[50].x, 500);
  PlotOptions few{
      .workdirs = {(folder_ / "a").string()}, .keys = {"perf_stats/*"}, .collections = {"train"}};
  const auto speed = read_panels(few);
  ASSERT_EQ(speed.size(), 1u);
  ASSERT_EQ(speed[0].curves.size(), 1u);
  EXPECT_EQ(speed[0].curves[0].label, "train");
}

TEST_F(Plot, TheSumOfOneLossAndRunsOfOneName) {
  auto line = [&](const std::string& run, const char* more) {
    fs::create_directories(folder_ / run / "train");
    std::ofstream(folder_ / run / "train/metrics.jsonl")
        << R"({"step": 0, "time": 1.5, "scalars": {"losses/fit": 1.0, )" << more
        << R"("losses/total": 1.0}})"
        << "\n";
  };
  line("x/run", "");
  line("y/run", "");
  const std::string x = (folder_ / "x/run").string(), y = (folder_ / "y/run").string();
  auto panels = read_panels({.workdirs = {x, y}});
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].title, "losses/fit");
  EXPECT_EQ(panels[0].curves[1].label, y + " train");
  EXPECT_EQ(read_panels({.workdirs = {x}, .keys = {"losses/*"}}).size(), 2u);
  line("x/run", R"("losses/small": 0.5, )");
  EXPECT_EQ(read_panels({.workdirs = {x}}).size(), 3u);
}

// As `kd run` names them, and by the columns of `kd results`.
TEST_F(Plot, OtherNamesAndThoseOfResults) {
  const auto write_run = [&](const char* collection) {
    fs::create_directories(folder_ / "own" / collection);
    std::ofstream(folder_ / "own" / collection / "metrics.jsonl")
        << R"({"step": 4, "scalars": {"acc": 0.5, "schedules/lr": 0.1}})"
        << "\n";
  };
  write_run("train");
  write_run("val");
  const std::string own = (folder_ / "own").string();
  const auto panels = read_panels({.workdirs = {own}});
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].title, "acc");
  EXPECT_EQ(panels[0].curves.size(), 2u);
  const auto one = read_panels({.workdirs = {own}, .keys = {"val/acc"}});
  ASSERT_EQ(one.size(), 1u);
  ASSERT_EQ(one[0].curves.size(), 1u);
  EXPECT_EQ(one[0].curves[0].label, "val");
  // One value is a dot.
  EXPECT_THAT(svg_of(one, false), HasSubstr("<circle "));
}

TEST_F(Plot, LinesThatAreNoRecordsAreLeftOut) {
  fs::create_directories(folder_ / "torn/train");
  std::ofstream(folder_ / "torn/train/metrics.jsonl")
      << "{\"step\": 1, \"scalars\": {\"losses/fit\": 3}}\n{\"step\": 2, \"sc{\"step\": 3}\n"
      << "{\"step\": 4, \"scalars\": {\"losses/fit\": 1}}\n";
  testing::internal::CaptureStderr();
  const auto panels = read_panels({.workdirs = {(folder_ / "torn").string()}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("torn/train/metrics.jsonl: line 2 is no record and left out: "));
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].curves.at(0).points.size(), 2u);
}

TEST_F(Plot, Mistakes) {
  PlotOptions wrong = options();
  wrong.keys = {"losses/totl"};
  EXPECT_THAT(failure_of(wrong),
              HasSubstr("no key fits 'losses/totl'; did you mean 'losses/total'?"));
  EXPECT_THAT(failure_of({.workdirs = {(folder_ / "none").string()}}), HasSubstr("cannot be read"));
  EXPECT_THAT(failure_of({.workdirs = {(folder_ / "a/train").string()}}),
              HasSubstr("is it the workdir of a run?"));
  EXPECT_THROW(plot({.workdirs = {(folder_ / "a").string()}, .out = "x.gif"}), UsageError);
}

TEST_F(Plot, Axes) {
  const std::vector<Panel> panels = {{"p", {{"c", {{0, 0.1}, {1000, 97}, {2000, NAN}}}}}};
  const Axis x = axis_of(panels, false, false);
  EXPECT_THAT(x.marks, ElementsAre(0, 500, 1000, 1500, 2000));
  EXPECT_EQ(x.place(1000), 0.5);
  const Axis y = axis_of(panels, true, true);
  ASSERT_EQ(y.marks.size(), 4u);
  EXPECT_DOUBLE_EQ(y.low, 0.1);
  EXPECT_DOUBLE_EQ(y.high, 100);
  EXPECT_NEAR(y.place(1), 1.0 / 3, 1e-12);
  EXPECT_TRUE(std::isnan(y.place(-1)));
  const Axis flat = axis_of({{"p", {{"c", {{3, 3}}}}}}, true, false);
  EXPECT_LT(flat.low, 3);
  EXPECT_GT(flat.high, 3);
}

TEST_F(Plot, Pictures) {
  PlotOptions svg = options();
  svg.out = (folder_ / "curves.svg").string();
  EXPECT_EQ(plot(svg), 0);
  const std::string text = base::read_file(svg.out);
  EXPECT_THAT(text, ::testing::StartsWith("<svg "));
  EXPECT_THAT(text, HasSubstr(">losses/total</text>"));
  EXPECT_THAT(text, ::testing::EndsWith("</svg>\n"));
  EXPECT_EQ(text.find("nan"), std::string::npos);

  PlotOptions png = options();
  png.out = (folder_ / "curves.png").string();
  png.log_y = true;
  png.smooth = 0.5;
  EXPECT_EQ(plot(png), 0);
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, png.out.c_str()));
  EXPECT_EQ(image.width, 1280u);
  EXPECT_EQ(image.height, 400u);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr));
  // Curves, axes and letters, on white.
  const auto white = std::count(pixels.begin(), pixels.end(), 255);
  EXPECT_GT(white, static_cast<std::ptrdiff_t>(pixels.size() * 8 / 10));
  EXPECT_LT(white, static_cast<std::ptrdiff_t>(pixels.size() * 99 / 100));
}

TEST_F(Plot, InTheTerminal) {
  const std::string text = text_of(read_panels(options()), false, 60);
  EXPECT_THAT(text, HasSubstr("losses/total: a eval (0.00673795), a train"));
  EXPECT_THAT(text, HasSubstr("step 500\n"));
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, 2 * 15);
}

}  // namespace
}  // namespace cli
