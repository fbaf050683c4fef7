// The page docs/tfimm.md: its example is a program, run here, and the page shows what it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "base/file.h"
#include "base/temp_folder.h"
#include "test_paths.h"
#include "tfimm/train/toys_test.h"
#include "tfimm/train/train.h"

namespace tfimm::train {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Ran {
  std::string output;  // both streams
  int code;
};

Ran run(const std::string& flags) {
  const std::string command = KD_BINARY_DIR "/tests/tfimm_example " + flags + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Ran out{};
  std::array<char, 4096> buffer;
  while (auto n = fread(buffer.data(), 1, buffer.size(), pipe)) out.output.append(buffer.data(), n);
  out.code = WEXITSTATUS(pclose(pipe));
  return out;
}

TEST(Guide, TheExampleIsOnThePage) {
  const std::string page = base::read_file(KD_SOURCE_DIR "/docs/tfimm.md");
  const std::string flags =
      "--problem_class=ClassificationProblem --problem.nb_classes=10 "
      "--problem.model.model_name=resnet18";
  const Ran ran = run(flags);
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(page, HasSubstr("$ ./experiment " + flags + "\n" + ran.output + "```"));

  const Ran wrong = run(flags + " --problem.model.name=x");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(page, HasSubstr("```\n" + wrong.output + "```"));
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_THAT(run("--problem_class=ClassificationProblem --help").output,
              HasSubstr("--problem.model.input_size=TUPLE"));
}

struct ExperimentConfig {
  Any problem;
  Required<std::string> problem_class;
  std::string cfg_file = "";
};

TEST(Guide, FilesAndForms) {
  const base::TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const ExperimentConfig cfg{.problem = toy::LeafConfig{}, .problem_class = "Leaf"};
  dump_config(cfg, "runs/a/config.yaml");
  std::cout << to_text(cfg, TextFormat::flat);
  const auto again =
      parse_args(ExperimentConfig{}, {"--cfg_file=runs/a/config.yaml", "--problem.b=0"});
  EXPECT_EQ(again.problem.as<toy::LeafConfig>().b, 0);
  fs::current_path(before);

  const Dict nested_cfg = to_dict_format(cfg);
  const Dict flat_cfg = deep_to_flat(nested_cfg);
  const auto same_cfg = from_dict<ExperimentConfig>(to_cls_format(flat_to_deep(flat_cfg)));
  EXPECT_TRUE(same(cfg, same_cfg));
}

TEST(Guide, Descriptions) {
  const ConfigClass& outer = *describe<ExperimentConfig>();
  for (const Field& f : outer.fields) std::cout << f.name << ": " << type_name(f) << "\n";
  EXPECT_EQ(outer.name, "ExperimentConfig");
}

}  // namespace
}  // namespace tfimm::train
