#include "tfimm/train/dump_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/file.h"
#include "base/temp_folder.h"
#include "konfig/expect_test.h"
#include "tfimm/train/parse_args.h"
#include "tfimm/train/toys_test.h"
#include "tfimm/train/words_test.h"

namespace tfimm::train {
namespace {

using konfig::ErrorKind;
using konfig::expect_error;

toy::Outer example() {
  return {.n = toy::TypesConfig{.title = "é: '", .table = {{1}, {}}}, .n_class = "Types"};
}

TEST(DumpConfig, WritesYamlInOrder) {
  EXPECT_EQ(to_text(example(), TextFormat::yaml),
            "n:\n"
            "  size:\n"
            "    width: 28\n"
            "    height: 1\n"
            "  most: null\n"
            "  title: \"\\xE9: '\"\n"
            "  rates: !!python/tuple\n"
            "  - 0.1\n"
            "  names: !!python/tuple []\n"
            "  mixed: !!python/tuple\n"
            "  - 1\n"
            "  - x\n"
            "  - true\n"
            "  table: !!python/tuple\n"
            "  - !!python/tuple\n"
            "    - 1\n"
            "  - !!python/tuple []\n"
            "  mask: !!python/tuple []\n"
            "  betas: !!python/tuple\n"
            "  - 0.9\n"
            "  - 0.999\n"
            "  range: !!python/tuple\n"
            "  - 0\n"
            "  - 1\n"
            "  small: 0.1\n"
            "  byte: 7\n"
            "n_class: Types\n"
            "lr: 0.5\n"
            "cfg_file: ''\n");
}

TEST(DumpConfig, TheFileComesBack) {
  const base::TempFolder folder;
  const auto file = folder / "runs/a/config.yaml";
  const toy::Outer cfg = example();
  dump_config(cfg, file);
  dump_config(cfg, file);  // again: replaced
  toy::Outer again = parse_args(toy::Outer{}, {"--cfg_file=" + file.string()});
  EXPECT_EQ(again.cfg_file, file.string());
  again.cfg_file = "";
  EXPECT_TRUE(same(again, cfg));
}

TEST(DumpConfig, FlatTextIsACommandLine) {
  const toy::Outer cfg = example();
  const std::string flat = to_text(cfg, TextFormat::flat);
  EXPECT_THAT(flat, ::testing::HasSubstr("\n--n.mixed='(1, '\"'\"'x'\"'\"', True)'\n"));
  EXPECT_TRUE(same(parse_args(toy::Outer{}, words_of(flat)), cfg));
  std::cout << to_text(cfg, TextFormat::flat);
}

// A file below the flags may say something else.
TEST(DumpConfig, FlatTextSaysNone) {
  const base::TempFolder folder;
  toy::Outer cfg = example();
  cfg.n.as<toy::TypesConfig>().most = 3;
  dump_config(cfg, folder / "x.yaml");
  cfg.n.as<toy::TypesConfig>().most = {};
  cfg.n.as<toy::TypesConfig>().title = "two words\n$HOME";
  cfg.cfg_file = folder / "x.yaml";
  const std::string flat = to_text(cfg, TextFormat::flat);
  EXPECT_THAT(flat, ::testing::HasSubstr("\n--n.most=None\n"));
  EXPECT_TRUE(same(parse_args(toy::Outer{}, words_of(flat)), cfg)) << flat;
}

TEST(DumpConfig, Json) {
  const toy::Outer cfg{.n = toy::LeafConfig{}, .n_class = "Leaf"};
  EXPECT_EQ(to_text(cfg, TextFormat::json),
            "{\n  \"n\": {\n    \"a\": 2,\n    \"b\": 2.5,\n    \"name\": \"leaf\"\n  },\n"
            "  \"n_class\": \"Leaf\",\n  \"lr\": 0.5,\n  \"cfg_file\": \"\"\n}\n");
}

TEST(DumpConfig, NumbersAndTextsOfYaml11) {
  const double inf = std::numeric_limits<double>::infinity();
  const Dict cfg = {{"a", 1e-7},
                    {"b", inf},
                    {"c", -inf},
                    {"d", "1e-3"},
                    {"e", "on"},
                    {"f", "0x1F"},
                    {"g", "1:30"},
                    {"h", "<<"},
                    {"i", "="},
                    {"j", "\n"},
                    {"k", "2001-12-14 21:59:43"},
                    {"l", konfig::BigInt{"123456789012345678901"}}};
  EXPECT_EQ(to_text(Value(cfg), TextFormat::yaml),
            "a: 1.0e-07\nb: .inf\nc: -.inf\nd: 1e-3\ne: 'on'\nf: '0x1F'\ng: '1:30'\nh: '<<'\n"
            "i: '='\nj: \"\\n\"\nk: '2001-12-14 21:59:43'\nl: 123456789012345678901\n");
  const base::TempFolder folder;
  dump_config(Value(cfg), folder / "x.yaml");
  Dict expected = {{"cfg_file", (folder / "x.yaml").string()}};
  for (auto& [key, value] : cfg) expected.set(key, value);
  EXPECT_EQ(parse_args(Value(Dict{{"cfg_file", (folder / "x.yaml").string()}}), {}),
            Value(expected));
}

TEST(DumpConfig, WhatHasNoFormIsAnError) {
  expect_error(ErrorKind::type, {"has no form in YAML"}, [] {
    to_text(Value(Dict{{"a", konfig::Bytes{"x"}}}), TextFormat::yaml);
  });
  expect_error(ErrorKind::value, {"not UTF-8"}, [] {
    to_text(Value(Dict{{"a", "\xff"}}), TextFormat::yaml);
  });
}

TEST(DumpConfig, AFolderThatCannotBeMadeIsNamed) {
  const base::TempFolder folder;
  dump_config(example(), folder / "file");
  try {
    dump_config(example(), folder / "file/config.yaml");
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr((folder / "file").string()));
  }
}

}  // namespace
}  // namespace tfimm::train
