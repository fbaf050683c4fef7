// Writers: files, what is cut off them when a run goes on, the console, and texts about a run.
#include "kd/writers/engine/writer.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gif_lib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "base/temp_folder.h"
#include "kd/core/durable.h"
#include "kd/io/file.h"
#include "kd/io/npy.h"
#include "kd/io/tfrecord.h"
#include "kd/writers/engine/context_overview.h"
#include "kd/writers/engine/element_spec.h"
#include "kd/writers/engine/events.h"
#include "kd/writers/gif_impl.h"
#include "kd/writers/progress.h"
#include "konfig/json.h"

namespace kd::writers {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using ::testing::HasSubstr;
using Steps = std::vector<std::int64_t>;

class Writers : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> open(std::optional<std::int64_t> resume_at = {}) const {
    return writers::open(train::KDMetricWriter{.console = false}, workdir_, "train", resume_at);
  }
  std::string text(const char* name) const { return read_file(workdir_ / "train" / name); }
  std::vector<fs::path> event_files() const {
    std::vector<fs::path> out;
    for (auto& entry : fs::directory_iterator(workdir_ / "train")) {
      if (entry.path().filename().string().starts_with("events.")) out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  // The steps of all events; every checksum is checked.
  Steps event_steps() const {
    Steps out;
    for (const fs::path& file : event_files()) {
      const io::Bytes bytes = io::map_file(file);
      bool first = true;
      for (auto& span : io::index_tfrecords(bytes)) {
        const EventHead head = event_head(io::tfrecord_at(bytes, span), file);
        EXPECT_EQ(head.has_summary, !std::exchange(first, false));
        if (head.has_summary) out.push_back(head.step);
      }
    }
    return out;
  }
  Steps line_steps() const {
    Steps out;
    std::istringstream lines(text("metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      out.push_back(konfig::parse_json(line).as<konfig::Dict>().at("step").as<std::int64_t>());
    }
    return out;
  }
  static Record record(std::int64_t step) {
    return {.step = step, .scalars = {{"losses/total", 0.5 * static_cast<double>(step)}}};
  }

  base::TempFolder temp_{"kd_writer_"};
  fs::path workdir_ = temp_.path();
};

TEST_F(Writers, AllFiles) {
  auto writer = open();
  EXPECT_FALSE(fs::exists(workdir_ / "train"));  // nothing yet
  writer->write({.step = 0,
                 .scalars = {{"losses/total", 0.1}, {"a, \"b\"", 2}},
                 .images = {{"images", at::rand({2, 4, 5, 3})}},
                 .histograms = {{"histogram", {at::arange(10), 5}}},
                 .texts = {{"text", {"hello"}}, {"texts", {"a", "b"}}}});
  writer->write({.step = 5, .scalars = {{"new", std::nan("")}, {"losses/total", 1e300}}});
  EXPECT_EQ(text("metrics.csv"),
            "step,losses/total,\"a, \"\"b\"\"\",new\n"
            "0,0.1,2.0,\n"
            "5,1e+300,,NaN\n");
  EXPECT_EQ(event_steps(), (Steps{0, 0, 0, 0, 0, 0, 5, 5}));
  const auto first =
      konfig::parse_json(text("metrics.jsonl").substr(0, text("metrics.jsonl").find('\n')));
  EXPECT_EQ(konfig::to_json(first.as<konfig::Dict>().at("scalars")),
            R"({"losses/total": 0.1, "a, \"b\"": 2.0})");
  EXPECT_EQ(konfig::to_json(first.as<konfig::Dict>().at("texts")),
            R"({"text": "hello", "texts": ["a", "b"]})");
  // Opened again, the columns are still known.
  writer = open();
  writer->write({.step = 6, .scalars = {{"new", 3}}});
  EXPECT_THAT(text("metrics.csv"), ::testing::EndsWith("5,1e+300,,NaN\n6,,,3.0\n"));
  EXPECT_EQ(event_files().size(), 2u);
}

TEST_F(Writers, NothingIsWrittenWithoutOptions) {
  for (const Poly<MetricWriter>& none : {Poly<MetricWriter>(), {train::NoopWriter{}}}) {
    writers::open(none, workdir_, "train")->write(record(1));
  }
  EXPECT_FALSE(fs::exists(workdir_ / "train"));
  EXPECT_THROW(writers::open(train::KDMetricWriter{}, workdir_, ""), Error);
}

TEST_F(Writers, ArraysForNumpy) {
  const Tensor codes = at::arange(6, at::kFloat).view({2, 3});
  auto open_npz = [&](std::optional<std::int64_t> resume_at = {}) {
    return writers::open(train::NpzWriter{.key_patterns = {{"codes$"}},
                                          .save_scalars = true,
                                          .static_info = {{"seed", 3}},
                                          .console = false},
                         workdir_, "train", resume_at);
  };
  auto writer = open_npz();
  for (int i : {0, 100, 200}) {
    writer->write({.step = i,
                   .scalars = {{"losses/total", 0.5}, {"perf_stats/steps_per_sec", 9}},
                   .arrays = {{"summaries/codes", codes + i}, {"summaries/other", codes}}});
  }
  writer->write(record(300));  // a step without summaries
  const fs::path folder = workdir_ / "array_dumps/train";
  auto arrays = io::parse_npz(io::map_file(folder / "000000100.npz"));
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_TRUE(at::equal(arrays["summaries/codes"], codes + 100));
  EXPECT_EQ(arrays["losses/total"].item<double>(), 0.5);
  EXPECT_EQ(arrays["seed"].item<std::int64_t>(), 3);
  EXPECT_FALSE(fs::exists(folder / "000000300.npz"));
  EXPECT_THAT(text("metrics.csv"), HasSubstr("\n300,"));
  open_npz(100);
  EXPECT_TRUE(fs::exists(folder / "000000000.npz"));
  EXPECT_FALSE(fs::exists(folder / "000000100.npz"));
  EXPECT_THROW(writers::open(train::NpzWriter{.key_patterns = {{"("}}}, workdir_, "train"), Error);
}

// The frames of a GIF file as colours: (t, h, w, 3).
Tensor decoded_gif(const std::string& bytes) {
  std::string_view rest = bytes;
  auto read = [](GifFileType* file, GifByteType* to, int size) {
    auto& left = *static_cast<std::string_view*>(file->UserData);
    const std::size_t n = std::min(left.size(), static_cast<std::size_t>(size));
    std::copy_n(left.begin(), n, to);
    left.remove_prefix(n);
    return static_cast<int>(n);
  };
  GifFileType* file = DGifOpen(&rest, read, nullptr);
  EXPECT_EQ(DGifSlurp(file), GIF_OK);
  Tensor out = at::zeros({file->ImageCount, file->SHeight, file->SWidth, 3}, at::kByte);
  auto* to = out.mutable_data_ptr<std::uint8_t>();
  for (int t = 0; t < file->ImageCount; ++t) {
    for (int i = 0; i < file->SHeight * file->SWidth; ++i) {
      const GifColorType& color = file->SColorMap->Colors[file->SavedImages[t].RasterBits[i]];
      *to++ = color.Red, *to++ = color.Green, *to++ = color.Blue;
    }
  }
  DGifCloseFile(file, nullptr);
  return out;
}

TEST_F(Writers, VideosAsAnimations) {
  // Few colours stay as they are.
  const Tensor grey = at::arange(3 * 4 * 5).reshape({3, 4, 5, 1}).to(at::kByte) * 4;
  EXPECT_TRUE(at::equal(decoded_gif(encode_gif(grey)), grey.expand({3, 4, 5, 3})));
  // Of many, the nearest.
  const Tensor many = (at::rand({2, 40, 30, 3}) * 255).to(at::kByte);
  const Tensor close = decoded_gif(encode_gif(many));
  ASSERT_EQ(close.sizes(), many.sizes());
  EXPECT_LT((close.to(at::kFloat) - many.to(at::kFloat)).abs().mean().item<float>(), 30);
  EXPECT_THAT(encode_gif(many), HasSubstr("NETSCAPE2.0"));  // repeats

  for (bool wanted : {true, false}) {
    const std::string collection = wanted ? "train" : "without";
    auto writer =
        writers::open(train::GifVideoWriter{.write_video_summaries = wanted, .console = false},
                      workdir_, collection);
    Record videos = record(7);
    add_summary(videos, "summaries/moves", Tree(grey.expand({2, 3, 4, 5, 1})));
    add_summary(videos, "summaries/flat", Tree(grey));
    writer->write(videos);
    std::string all;
    for (auto& entry : fs::directory_iterator(workdir_ / collection)) all += read_file(entry);
    EXPECT_EQ(all.find("summaries/moves") != all.npos, wanted);
    EXPECT_EQ(all.find("GIF89a") != all.npos, wanted);
    EXPECT_EQ(all.find("summaries/flat"), all.npos);
    EXPECT_THAT(all, HasSubstr("losses/total"));
    Record empty;
    add_summary(empty, "v", Tree(at::zeros({0, 3, 4, 5, 1}, at::kByte)));
    if (wanted) EXPECT_THROW(writer->write(empty), Error);
  }
  EXPECT_EQ(event_steps(), (Steps{7, 7}));
}

TEST_F(Writers, WhatNeedsOtherPrograms) {
  try {
    writers::open(train::MLFlowMetricWriter{}, workdir_, "train");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("mlflow"), HasSubstr("KDMetricWriter")));
  }
  const Tree cloud = Tree::record("PointCloud", {{"point_clouds", Tree(at::zeros({4, 3}))}});
  Record out;
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) add_summary(out, "summaries/cloud", cloud);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "note: summaries/cloud is a point cloud, which no file of a run shows\n");
  EXPECT_TRUE(out.empty());
}

TEST_F(Writers, SeveralAtOnce) {
  const std::string other = (workdir_ / "other").string();
  auto writer =
      writers::open(train::MultiWriter{{train::KDMetricWriter{.console = false},
                                        train::KDMetricWriter{.workdir = std::optional(other),
                                                              .tensorboard = false,
                                                              .json_lines = false,
                                                              .console = false}}},
                    workdir_, "train");
  writer->write(record(2));
  EXPECT_EQ(read_file(fs::path(other) / "train/metrics.csv"), text("metrics.csv"));
  EXPECT_EQ(event_steps(), Steps{2});
  EXPECT_FALSE(fs::exists(fs::path(other) / "train/metrics.jsonl"));
}

TEST_F(Writers, GoingOnRemovesWhatWillBeWrittenAgain) {
  auto writer = open();
  for (int i = 0; i < 8; ++i) writer->write(record(i));
  writer = open(5);
  EXPECT_EQ(event_steps(), (Steps{0, 1, 2, 3, 4}));
  EXPECT_EQ(line_steps(), (Steps{0, 1, 2, 3, 4}));
  for (int i = 5; i < 7; ++i) writer->write(record(i));
  EXPECT_EQ(event_steps(), (Steps{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(text("metrics.csv"),
            "step,losses/total\n0,0.0\n1,0.5\n2,1.0\n3,1.5\n4,2.0\n5,2.5\n6,3.0\n");
  writer = open(0);
  EXPECT_TRUE(event_files().empty());
  EXPECT_EQ(text("metrics.jsonl"), "");
}

TEST_F(Writers, HalfARecordIsCutOff) {
  auto writer = open();
  for (int i = 0; i < 3; ++i) writer->write(record(i));
  writer.reset();
  std::vector<fs::path> files = event_files();
  files.push_back(workdir_ / "train/metrics.csv");
  files.push_back(workdir_ / "train/metrics.jsonl");
  std::vector<std::string> whole;
  for (auto& file : files) whole.push_back(read_file(file));
  // Cut within the record of step 2, at every byte.
  for (std::size_t cut = 1; cut < 6; ++cut) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::ofstream(files[i], std::ios::binary) << whole[i].substr(0, whole[i].size() - cut);
    }
    open();
    EXPECT_EQ(event_steps(), (Steps{0, 1}));
    EXPECT_EQ(line_steps(), (Steps{0, 1}));
    EXPECT_THAT(text("metrics.csv"), ::testing::EndsWith("\n1,0.5\n"));
  }
}

TEST_F(Writers, KilledAtAnyMoment) {
  const int times = std::getenv("KD_TEST_FULL") ? 200 : 8;
  std::mt19937 random(1);
  auto expect_each_once = [](Steps steps) {
    std::sort(steps.begin(), steps.end());
    for (std::size_t k = 0; k < steps.size(); ++k) {
      ASSERT_EQ(steps[k], static_cast<std::int64_t>(k));
    }
  };
  auto size_of_lines = [&] {
    std::error_code missing;
    const auto n = fs::file_size(workdir_ / "train/metrics.jsonl", missing);
    return missing ? std::uintmax_t{0} : n;
  };
  std::uintmax_t size = 0;
  std::int64_t from = 0;
  for (int i = 0; i < times; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto writer = open(from);
      for (std::int64_t step = from; step < from + 50; ++step) writer->write(record(step));
      for (;;) ::pause();
    }
    // Some steps more, then at a random moment; every other time without them.
    while (i % 2 == 0 && size_of_lines() <= size) ::usleep(200);
    ::usleep(random() % 5000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    open();
    size = size_of_lines();
    const Steps lines = line_steps(), events = event_steps();
    expect_each_once(lines);
    expect_each_once(events);
    // Killed between two files, one has a step more; or two, when they were cut to go on.
    ASSERT_LE(std::abs(static_cast<std::int64_t>(events.size()) -
                       static_cast<std::int64_t>(lines.size())),
              2);
    // As from a checkpoint of a step before.
    from = std::max<std::int64_t>(0, static_cast<std::int64_t>(lines.size()) - 2);
  }
  EXPECT_GT(from, 0);
  for (auto& entry : fs::directory_iterator(workdir_ / "train")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
}

TEST_F(Writers, Console) {
  auto writer =
      writers::open(train::KDMetricWriter{.tensorboard = false, .csv = false, .json_lines = false},
                    workdir_, "eval");
  ::testing::internal::CaptureStderr();
  writer->write({.step = 100, .scalars = {{"metrics/b", 0.123456789}, {"losses/a", 1234567.0}}});
  writer->write({.step = 101, .texts = {{"t", {"not for the console"}}}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[100] collection=eval losses/a=1.23457e+06, metrics/b=0.123457\n");
}

TEST(Progress, Lines) {
  ::testing::internal::CaptureStderr();
  {
    Progress bar(1000, "train");
    bar.update(250, "loss 0.123");
    EXPECT_THAT(bar.line(100),
                ::testing::MatchesRegex("train:  25%\\|#+ +\\| 250/1000 \\[.*/s\\] loss 0.123"));
    EXPECT_LT(bar.line(30).size(), 30u);
    Progress endless(0, "data", 5);
    endless.update(7);
    EXPECT_THAT(endless.line(100), ::testing::MatchesRegex("data:  7 \\[.*/s\\]"));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("250/1000"));
}

TEST(Summaries, BecomeRecords) {
  Record record;
  add_summary(record, "images", Tree(at::zeros({2, 3, 3, 1})));
  add_summary(record, "uint8", Tree(at::zeros({2, 3, 3, 1}, at::kByte)));
  add_summary(record, "number", Tree(at::zeros({})));
  add_summary(record, "texts", Tree(Tree::Texts{"a"}));
  add_summary(record, "histogram",
              Tree::record("Histogram", {{"tensor", Tree(at::arange(4))},
                                         {"num_buckets", Tree(at::full({}, 7, at::kLong))}}));
  ASSERT_EQ(record.images.size(), 1u);
  EXPECT_EQ(record.images[0].first, "images");
  ASSERT_EQ(record.texts.size(), 1u);
  ASSERT_EQ(record.histograms.size(), 1u);
  EXPECT_EQ(record.histograms[0].second.num_buckets, 7);
  EXPECT_THROW(add_summary(record, "none", Tree(at::zeros({0, 3, 3, 1}))), Error);
}

TEST(Histograms, Buckets) {
  const Tensor values = at::arange(10).to(at::kFloat);
  const Tensor buckets = buckets_of({values, 3});
  EXPECT_TRUE(at::equal(buckets.select(1, 2),
                        at::full({3}, 3, at::kDouble) + (at::arange(3) == 2).to(at::kDouble)));
  EXPECT_EQ(buckets[2][1].item<double>(), 9);
  EXPECT_EQ(buckets_of({at::full({4}, std::nan("")), 3}).size(0), 0);
}

// ---- Texts about a run --------------------------------------------------------------------------

TEST(RunFiles, Context) {
  const Tree params = Tree::dict({{"w", Tree(at::zeros({2, 3}))}});
  EXPECT_EQ(
      context_overview(Tree::dict({{"batch", Tree::dict({{"x", Tree(at::zeros({4}, at::kByte))}})},
                                   {"grads", params},
                                   {"params", params},
                                   {"step", Tree(at::zeros({}, at::kInt))},
                                   {"updates", Tree()}})),
      "| Path       | Spec                           |\n"
      "|------------|--------------------------------|\n"
      "| `batch.x`  | `ui8[4]`                       |\n"
      "| `params.w` | `f32[2 3]`                     |\n"
      "| `step`     | `i32[]`                        |\n"
      "| `grads`    | `<<same structure as params>>` |\n");
}

TEST(RunFiles, ElementSpec) {
  const Tree spec = Tree::dict({{"image", Tree(at::zeros({16, 28, 28, 1}))},
                                {"more", Tree::list({Tree(at::zeros({2}, at::kInt)), Tree()})},
                                {"text", Tree(Tree::Texts(3))}});
  const std::string json = element_spec_json(spec);
  EXPECT_THAT(json, HasSubstr("\"__qualname__\": \"etils.enp.array_spec:ArraySpec\""));
  EXPECT_EQ(element_spec_json(parse_element_spec(json)), json);
  const Tree back = parse_element_spec(json);
  EXPECT_EQ(back["image"].tensor().sizes(), at::IntArrayRef({16, 28, 28, 1}));
  EXPECT_EQ(back["more"].child(0).tensor().scalar_type(), at::kInt);
}

}  // namespace
}  // namespace kd::writers
