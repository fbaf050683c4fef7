// kd data: the real program on real data, and pictures in terminals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/inline_picture.h"
#include "cli/program.h"
#include "cli/spawn_test.h"

namespace cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// Images of two colours as a JSON list, so that no dataset has to be installed.
class KdData : public ::testing::Test {
 protected:
  KdData() {
    std::string records;
    for (int i = 0; i < 6; ++i) {
      const std::string pixel = "[" + std::to_string(40 * i) + ", 0, 200]";
      records += std::string(i > 0 ? ", " : "") + R"({"image": [[)" + pixel + ", " + pixel +
                 R"(]], "label": )" + std::to_string(i) + "}";
    }
    write_text(folder_ / "records.json", "[" + records + "]");
    write_text(folder_ / "ds.json", R"({"__qualname__": "kauldron.kd:data.py.Json", "path": ")" +
                                        (folder_ / "records.json") +
                                        R"(", "shuffle": true, "num_epochs": 1, "batch_size": 3,
        "num_workers": 0, "seed": 1})");
  }
  Outcome run(std::vector<std::string> args, const SpawnOptions& options = {}) {
    args.insert(args.begin(), "data");
    args.push_back("--cfg=" + (folder_ / "ds.json"));
    return kd(args, options);
  }
  TempFolder folder_;
};

TEST_F(KdData, SpecAndStats) {
  const Outcome spec = run({"spec"});
  EXPECT_EQ(spec.out, "image: int64[3 1 2 3]\nlabel: int64[3]\n2 batches\n") << spec.err;
  const Outcome stats = run({"stats"});
  EXPECT_EQ(stats.code, kFine) << stats.err;
  EXPECT_THAT(stats.out, HasSubstr("2 batches, 6 records\n"));
  EXPECT_THAT(stats.out, HasSubstr("label    int64[3]"));
  EXPECT_THAT(stats.out, HasSubstr("         0           5         2.5      1.7078  |"));
}

TEST_F(KdData, ShowWritesAPicture) {
  const Outcome none = run({"show"});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_THAT(none.err, HasSubstr("--out=batch.png"));
  const Outcome file = run({"show", "-n", "4", "--out=" + (folder_ / "batch.png")});
  EXPECT_EQ(file.code, kFine) << file.err;
  EXPECT_THAT(file.out, HasSubstr("batch.png: "));
  EXPECT_THAT(read_text(folder_ / "batch.png"), StartsWith("\x89PNG"));
  const Outcome shown =
      run({"show"},
          {.env = {{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}, .terminal = true});
  EXPECT_THAT(shown.out, HasSubstr("\x1b[38;2;"));
}

TEST_F(KdData, BenchPrintsARate) {
  const Outcome bench = run({"bench", "--batches=10"});
  EXPECT_EQ(bench.code, kFine) << bench.err;
  EXPECT_THAT(bench.out.substr(0, bench.out.find(',')), MatchesRegex("[0-9]+ batches/s"));
}

TEST_F(KdData, ErrorsNameTheDataset) {
  const Outcome wrong = run({"spec", "--ds=train_ds"});
  EXPECT_EQ(wrong.code, kFailure);
  EXPECT_THAT(wrong.err, HasSubstr("the config has no dataset 'train_ds'"));
}

TEST(InlinePicture, SpeaksTheProtocolsOfTerminals) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64("ab"), "YWI=");
  EXPECT_EQ(base64("abc\xff"), "YWJj/w==");
  const kd::inspect::Picture picture{.height = 2,
                                     .width = 1,
                                     .rgb = std::string("\1\2\3\4\5\6", 6),
                                     .png = std::string(4000, 'x')};
  EXPECT_EQ(inline_text(picture, InlineImages::none), "");
  EXPECT_EQ(inline_text(picture, InlineImages::blocks),
            "\x1b[38;2;1;2;3;48;2;4;5;6m\u2580\x1b[0m\n");
  EXPECT_THAT(inline_text(picture, InlineImages::iterm),
              StartsWith("\x1b]1337;File=inline=1;size=4000:eHh4"));
  const std::string kitty = inline_text(picture, InlineImages::kitty);
  EXPECT_THAT(kitty, StartsWith("\x1b_Gf=100,a=T,m=1;eHh4"));
  EXPECT_THAT(kitty, HasSubstr("\x1b_Gm=0;"));
}

}  // namespace
}  // namespace cli
