// Keeps the layers apart: who may include whom, where libtorch may not appear, what a header needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/temp_folder.h"
#include "test_paths.h"
#include "tools/layers.h"

namespace {

namespace fs = std::filesystem;
using layers::check;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string join(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

const layers::Tree& source_tree() {
  static const layers::Tree tree = [] {
    layers::Tree files = layers::read_tree(KD_SOURCE_DIR);
    // What the build makes of the headers, where kd/kd.h finds it.
    const fs::path made = KD_BINARY_DIR "/obj/include";
    for (auto& entry : fs::recursive_directory_iterator(made / "kd")) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      files[entry.path().lexically_relative(made)] = {std::istreambuf_iterator<char>(in), {}};
    }
    return files;
  }();
  return tree;
}

TEST(Layering, SourceTree) {
  ASSERT_TRUE(source_tree().contains("tests/layering_test.cc"));
  ASSERT_THAT(source_tree().at("kd/components.h"), HasSubstr("#include \"kd/losses/"));
  const auto errors = check(source_tree());
  EXPECT_TRUE(errors.empty()) << join(errors);
}

TEST(Layering, EveryEdgeOfTheOrderIsThere) {
  EXPECT_THAT(layers::unused_edges(source_tree()), IsEmpty());
}

std::set<std::string> headers_in(const fs::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  static const std::regex kHeader(R"(\b(konfig|kontext|flags|loader|kxm|tfimm|kd)/[\w/]+\.h\b)");
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kHeader), last; it != last; ++it) {
    found.insert(it->str());
  }
  return found;
}

std::set<std::string> installed_headers() {
  return layers::reached_from(headers_in(KD_SOURCE_DIR "/cmake/package.cmake"), source_tree());
}

// Each header that an installed copy has more is one that users may rely on. Before this number is
// raised: can a header that reaches the new one do with a declaration? Those of components are not
// counted: a new one changes no other file.
TEST(Layering, FewHeadersAreInstalled) {
  const auto installed = installed_headers();
  ASSERT_TRUE(installed.contains("kd/core/tree.h"));
  ASSERT_TRUE(installed.contains("kd/components.h"));
  std::set<std::string> counted;
  for (const std::string& header : installed) {
    if (!layers::declares_component(source_tree().at(header))) counted.insert(header);
  }
  EXPECT_LE(counted.size(), 182u) << join({counted.begin(), counted.end()});
  for (const std::string& header : installed) {
    EXPECT_FALSE(header.ends_with("_impl.h") || layers::is_test(header)) << header;
  }
}

// What the docs tell users to include is part of an installed copy.
TEST(Layering, HeadersInTheDocsAreInstalled) {
  const fs::path root = KD_SOURCE_DIR;
  const auto installed = installed_headers();
  ASSERT_TRUE(installed.contains("kd/core/tree.h"));
  for (auto& page : fs::directory_iterator(root / "docs")) {
    const std::string name = page.path().filename().string();
    // These are about the source tree.
    if (name == "architecture.md" || name == "dependencies.md" || name == "seeds.md") continue;
    for (const std::string& header : headers_in(page.path())) {
      if (header.ends_with("_impl.h")) continue;
      EXPECT_TRUE(installed.contains(header)) << name << ": " << header;
    }
  }
}

// The real tree with one more file: each fault is found, and nothing else. Those that the tree has
// already are for the test above.
TEST(Layering, WhatIsPlantedIsFound) {
  const auto own = check(source_tree());
  const auto errors_with = [&](const layers::Tree& planted) {
    layers::Tree tree = source_tree();
    tree.insert(planted.begin(), planted.end());
    auto errors = check(tree);
    std::erase_if(errors, [&](auto& error) { return std::ranges::find(own, error) != own.end(); });
    return errors;
  };
  EXPECT_THAT(errors_with({{"kd/nn/new.cc", "#include \"kd/train/engine/train.h\"\n"}}),
              ElementsAre("kd/nn/new.cc:1: kd/nn must not include kd/train "
                          "(kd/train/engine/train.h)"));
  // kd/losses includes kd/metrics.
  EXPECT_THAT(errors_with({{"kd/metrics/new.cc", "#include \"kd/losses/losses.h\"\n"}}),
              ElementsAre("kd/metrics/new.cc:1: kd/metrics must not include kd/losses "
                          "(kd/losses/losses.h)"));
  EXPECT_THAT(errors_with({{"kd/train/new.cc", "#include \"kd/nn/shapes_impl.h\"\n"}}),
              ElementsAre("kd/train/new.cc:1: kd/nn/shapes_impl.h is private to kd/nn"));
  EXPECT_THAT(errors_with({{"kd/dreams/new.cc", "\n"}}),
              ElementsAre("kd/dreams/new.cc:1: kd/dreams has no place in the order of "
                          "tools/layers.cc"));
  layers::Tree tree = source_tree();
  tree["kontext/new.cc"] = "#include \"kd/kd.h\"\n";
  EXPECT_NE(layers::edges(tree), layers::edges(source_tree()));
}

TEST(Layering, NoTwoPartsIncludeEachOther) {
  for (const layers::Part& a : layers::parts()) {
    for (const layers::Part& b : layers::parts()) {
      if (&a == &b) continue;
      const std::string to_a = "#include \"" + a.name + "/a.h\"\n";
      const std::string to_b = "#include \"" + b.name + "/b.h\"\n";
      EXPECT_FALSE(check({{a.name + "/a.cc", to_b}, {b.name + "/b.cc", to_a}}).empty())
          << a.name << " and " << b.name;
    }
  }
}

TEST(Layering, PartsIncludeOnlyThoseBeforeThem) {
  std::set<std::string> before;
  for (const layers::Part& part : layers::parts()) {
    for (const std::string& lower : part.below) {
      EXPECT_TRUE(before.contains(lower)) << part.name << " stands before " << lower;
    }
    before.insert(part.name);
  }
}

// The table of docs/architecture.md has a row for each part. That of kd itself names its headers.
TEST(Layering, EveryPartIsInTheTableOfTheDocs) {
  const std::string page = base::read_file(KD_SOURCE_DIR "/docs/architecture.md");
  const auto begin = page.find("\n## Parts\n");
  ASSERT_NE(begin, page.npos);
  std::istringstream lines(page.substr(begin, page.find("\n## ", begin + 1) - begin));
  std::string names;  // the first column
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| ")) names += line.substr(0, line.find('|', 1));
  }
  for (const layers::Part& part : layers::parts()) {
    const std::string name = part.name == "kd" ? "kd/kd.h" : part.name;
    EXPECT_NE(names.find("`" + name + "`"), names.npos)
        << part.name << " has no row in the table of docs/architecture.md";
  }
}

// The picture of docs/architecture.md has an edge for each real one. scripts/draw_layers makes it.
TEST(Layering, ThePictureIsTrue) {
  std::ifstream in(KD_SOURCE_DIR "/docs/architecture.svg");
  const std::string svg{std::istreambuf_iterator<char>(in), {}};
  ASSERT_FALSE(svg.empty());
  static const std::regex kEdge("<title>([^<]*)&#45;&gt;([^<]*)</title>");
  std::set<std::pair<std::string, std::string>> drawn;
  for (std::sregex_iterator it(svg.begin(), svg.end(), kEdge), last; it != last; ++it) {
    drawn.emplace((*it)[1], (*it)[2]);
  }
  EXPECT_EQ(drawn, layers::edges(source_tree())) << "run scripts/draw_layers";
}

// A config that includes these gets the engine's precompiled header.
TEST(Layering, TheLoaderKnowsThePartsAboutTensors) {
  std::ifstream in(KD_SOURCE_DIR "/cmake/kd.cmake");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::smatch list;
  ASSERT_TRUE(std::regex_search(text, list, std::regex(R"(set\(KD_ENGINE_INCLUDES ([^)]*)\))")));
  const std::string paths = list[1];
  static const std::regex kPart(R"((kd/\w+)/(?=\s))");
  std::set<std::string> named;
  for (std::sregex_iterator it(paths.begin(), paths.end(), kPart), last; it != last; ++it) {
    named.insert((*it)[1]);
  }
  EXPECT_EQ(named, layers::tensor_parts());
}

// ---- The rules themselves -----------------------------------------------------------------------

constexpr char kOnce[] = "#pragma once\n";

TEST(LayeringRules, LowerLayersDoNotIncludeUpperOnes) {
  EXPECT_THAT(check({{"konfig/a.cc", "// a\n#include \"kd/kd.h\"\n"}}),
              ElementsAre("konfig/a.cc:2: konfig must not include kd (kd/kd.h)"));
  EXPECT_THAT(check({{"kontext/a.cc", "#include <loader/job.h>"}}),
              ElementsAre("kontext/a.cc:1: kontext must not include loader (loader/job.h)"));
  EXPECT_THAT(check({{"kd/nn/layers/a.cc", " #  include \"kd/train/engine/train.h\""}}),
              ElementsAre("kd/nn/layers/a.cc:1: kd/nn must not include kd/train "
                          "(kd/train/engine/train.h)"));
  EXPECT_THAT(check({{"kd/train/a.cc", "#include \"kd/evals/evaluators.h\""}}),
              ElementsAre("kd/train/a.cc:1: kd/train must not include kd/evals "
                          "(kd/evals/evaluators.h)"));
  EXPECT_THAT(check({{"kd/nn/a.cc", "#include \"../../cli/x.h\""}, {"cli/x.h", kOnce}}),
              ElementsAre("kd/nn/a.cc:1: kd/nn must not include cli (cli/x.h)"));
  EXPECT_THAT(check({{"konfig/a.cc", "#include \"tests/util.h\""}}),
              ElementsAre("konfig/a.cc:1: konfig must not include tests (tests/util.h)"));
}

TEST(LayeringRules, HoweverAnIncludeIsWritten) {
  for (const std::string line :
       {"#include /* */ \"kd/kd.h\"", "#include \\\n  \"kd/kd.h\"", "#include \"./kd/kd.h\"",
        "#include \"kd//kd.h\"", "#include \"konfig/../kd/kd.h\"", "#  include<kd/kd.h>"}) {
    EXPECT_THAT(check({{"konfig/a.cc", line}}),
                ElementsAre("konfig/a.cc:1: konfig must not include kd (kd/kd.h)"))
        << line;
  }
  EXPECT_THAT(check({{"kd/train/a.cc", "#include/**/\"kd/./nn/shapes_impl.h\"\n"}}),
              ElementsAre("kd/train/a.cc:1: kd/nn/shapes_impl.h is private to kd/nn"));
  for (const std::string line : {"#include ZZ", "#import \"a.h\"", "#include_next <a.h>"}) {
    EXPECT_THAT(check({{"konfig/a.cc", line}}),
                ElementsAre("konfig/a.cc:1: an include names its file: #include \"x.h\""))
        << line;
  }
  EXPECT_THAT(check({{"konfig/a.cc",
                      "const char* k = R\"(\n#include \"kd/kd.h\"\n)\";\n"
                      "/*\n#include \"kd/kd.h\"\n*/\n"}}),
              IsEmpty());
}

TEST(LayeringRules, FilesHaveOneOfTwoEndings) {
  EXPECT_THAT(check({{"konfig/a.inc", "#include \"kd/kd.h\"\n"}}),
              ElementsAre("konfig/a.inc:1: konfig must not include kd (kd/kd.h)",
                          "konfig/a.inc:1: a header is called x.h, and a source x.cc"));
}

TEST(LayeringRules, BaseHasTheStandardLibraryAndPosixOnly) {
  EXPECT_THAT(check({{"base/a.cc",
                      "#include <fcntl.h>\n#include <sys/stat.h>\n"
                      "#include <vector>\n#include \"base/b.h\"\n"},
                     {"base/a_test.cc", "#include <gtest/gtest.h>\n"}}),
              IsEmpty());
  for (const std::string header : {"<fmt/format.h>", "<zlib.h>", "\"rapidjson/document.h\""}) {
    EXPECT_THAT(check({{"base/a.cc", "#include " + header + "\n"}}),
                ElementsAre("base/a.cc:1: base includes only the standard library and POSIX (" +
                            header.substr(1, header.size() - 2) + ")"));
  }
}

TEST(LayeringRules, UpperLayersIncludeLowerOnes) {
  EXPECT_THAT(check({{"loader/a.cc", "#include \"konfig/a.h\"\n#include \"flags/a.h\"\n"},
                     {"kd/nn/a.cc", "#include \"konfig/a.h\"\n#include <torch/torch.h>\n"},
                     {"cli/a.cc", "#include \"kd/engine/api.h\"\n#include \"loader/a.h\"\n"},
                     {"konfig/a_test.cc", "#include \"tests/util.h\"\n#include <gtest/gtest.h>"},
                     {"examples/a.cc", "#include \"kd/kd.h\"\n"}}),
              IsEmpty());
}

TEST(LayeringRules, EveryFolderHasItsPlace) {
  EXPECT_THAT(check({{"kd/dreams/a.cc", ""}, {"kd/dreams/b.cc", ""}}),
              ElementsAre("kd/dreams/a.cc:1: kd/dreams has no place in the order of "
                          "tools/layers.cc"));
  EXPECT_THAT(check({{"dreams/a.cc", ""}}),
              ElementsAre("dreams/a.cc:1: dreams has no place in the order of tools/layers.cc"));
}

TEST(LayeringRules, PrivateHeadersStayInTheirFolder) {
  EXPECT_THAT(check({{"kd/nn/layers/a.cc", "#include \"kd/nn/shapes_impl.h\"\n"},
                     {"kd/nn/a_test.cc", "#include \"kd/nn/shapes_impl.h\"\n"}}),
              IsEmpty());
  EXPECT_THAT(check({{"kd/nn/layers/a.cc", "#include \"kd/nn/engine/gelu_impl.h\"\n"}}),
              ElementsAre("kd/nn/layers/a.cc:1: kd/nn/engine/gelu_impl.h is private to "
                          "kd/nn/engine"));
  EXPECT_THAT(check({{"tests/a_test.cc", "#include \"konfig/expr_impl.h\"\n"}}),
              ElementsAre("tests/a_test.cc:1: konfig/expr_impl.h is private to konfig"));
}

// Who includes the public one would reach the private one, too.
TEST(LayeringRules, PublicHeadersIncludeNoPrivateOnes) {
  const std::string line = "#include \"kxm/b_impl.h\"\n";
  EXPECT_THAT(check({{"kxm/a.h", kOnce + line}}),
              ElementsAre("kxm/a.h:2: a public header includes no private one (kxm/b_impl.h)"));
  EXPECT_THAT(check({{"kxm/a_impl.h", kOnce + line}, {"kxm/a_test.h", kOnce + line}}), IsEmpty());
}

TEST(LayeringRules, FilesDoNotIncludeEachOtherInACycle) {
  EXPECT_THAT(check({{"konfig/a.h", "#pragma once\n#include \"konfig/b.h\"\n"},
                     {"konfig/b.h", "#pragma once\n#include \"konfig/c.h\"\n"},
                     {"konfig/c.h", "#pragma once\n#include \"a.h\"\n"}}),
              ElementsAre("konfig/c.h:2: files include each other in a cycle (konfig/a.h > "
                          "konfig/b.h > konfig/c.h > konfig/a.h)"));
  EXPECT_THAT(check({{"konfig/a.cc", "#include \"a.cc\"\n"}}),
              ElementsAre("konfig/a.cc:1: files include each other in a cycle (konfig/a.cc > "
                          "konfig/a.cc)"));
  // A header in two halves.
  EXPECT_THAT(
      check({{"konfig/a.h", "#pragma once\n#include \"konfig/b.h\"  // IWYU pragma: export\n"},
             {"konfig/b.h", "#pragma once\n#include \"konfig/a.h\"\n"}}),
      IsEmpty());
  EXPECT_THAT(
      check({{"konfig/a.h", "#pragma once\n#include \"konfig/b.h\"  // IWYU pragma: export\n"},
             {"konfig/b.h", "#pragma once\n#include \"konfig/a.h\"\n#include \"a_c.h\"\n"},
             {"konfig/a_c.h", "#pragma once\n#include \"konfig/a.h\"\n"}}),
      IsEmpty());
  // One that is only exported.
  EXPECT_THAT(
      check({{"konfig/a.h", "#pragma once\n#include \"konfig/b.h\"  // IWYU pragma: export\n"},
             {"konfig/b.h", "#pragma once\n#include \"konfig/c.h\"\n"},
             {"konfig/c.h", "#pragma once\n#include \"konfig/a.h\"\n"}}),
      ElementsAre(HasSubstr("files include each other in a cycle")));
  // Two that export each other.
  const std::string once = kOnce;
  EXPECT_THAT(check({{"konfig/a.h", once + "#include \"konfig/b.h\"  // IWYU pragma: export\n"},
                     {"konfig/b.h", once + "#include \"konfig/a.h\"  // IWYU pragma: export\n"}}),
              ElementsAre(HasSubstr("files include each other in a cycle")));
  // The second half leads back by another one, too.
  EXPECT_THAT(check({{"konfig/a.h", once + "#include \"konfig/b.h\"  // IWYU pragma: export\n"},
                     {"konfig/b.h", once + "#include \"konfig/a.h\"\n#include \"konfig/c.h\"\n"},
                     {"konfig/c.h", once + "#include \"konfig/a.h\"\n"}}),
              ElementsAre(HasSubstr("(konfig/a.h > konfig/b.h > konfig/c.h > konfig/a.h)")));
}

TEST(LayeringRules, HeadersOfTestsAreForTests) {
  EXPECT_THAT(check({{"konfig/a.cc", "#include \"konfig/toys_test.h\"\n"},
                     {"konfig/a_test.cc", "#include \"konfig/toys_test.h\"\n"},
                     {"konfig/toys_test.h", kOnce}}),
              ElementsAre("konfig/a.cc:1: konfig/toys_test.h is for tests only"));
}

TEST(LayeringRules, NoTorchBelowTheEngine) {
  EXPECT_THAT(check({{"konfig/a.cc", "#include <torch/torch.h>"}}),
              ElementsAre("konfig/a.cc:1: konfig must not reach libtorch (konfig/a.cc > "
                          "torch/torch.h)"));
  EXPECT_THAT(check({{"cli/a.cc", "#include \"kd/engine/engine.h\""},
                     {"kd/engine/engine.h", "#pragma once\n#include <c10/core/Device.h>"}}),
              ElementsAre("cli/a.cc:1: cli must not reach libtorch (cli/a.cc > kd/engine/engine.h "
                          "> c10/core/Device.h)"));
}

TEST(LayeringRules, HeadersThatNeedTorchStandInAFolderEngine) {
  const layers::Tree tree = {
      {"kd/nn/dense.h", "#pragma once\n#include \"kd/nn/engine/scope.h\"\n"},
      {"kd/nn/engine/scope.h", "#pragma once\n\n#include <ATen/core/TensorBody.h>\n"}};
  EXPECT_THAT(check(tree),
              ElementsAre("kd/nn/dense.h:1: reaches libtorch, so it belongs in a folder engine/ "
                          "(kd/nn/dense.h > kd/nn/engine/scope.h > ATen/core/TensorBody.h)"));
}

// The folder config/ is the counterpart of engine/.
TEST(LayeringRules, SourcesInAFolderConfigDoWithoutTorch) {
  const layers::Tree tree = {
      {"kd/nn/config/a.cc", "#include \"kd/nn/engine/scope.h\"\n"},
      {"kd/nn/layers/a.cc", "#include \"kd/nn/engine/scope.h\"\n"},
      {"kd/nn/config/a_test.cc", "#include \"kd/nn/engine/scope.h\"\n"},
      {"kd/nn/engine/scope.h", "#pragma once\n\n#include <ATen/core/TensorBody.h>\n"}};
  EXPECT_THAT(check(tree),
              ElementsAre("kd/nn/config/a.cc:1: reaches libtorch, so it does not belong in "
                          "config/ (kd/nn/config/a.cc > kd/nn/engine/scope.h > "
                          "ATen/core/TensorBody.h)"));
}

TEST(LayeringRules, ComponentsAreDeclaredInPublicHeaders) {
  const std::string line = "KONFIG_COMPONENT(kd::Loss, L2);\n";
  EXPECT_THAT(check({{"kd/losses/a_impl.h", kOnce + line}}),
              ElementsAre("kd/losses/a_impl.h:1: a component is declared in a public header"));
  EXPECT_THAT(check({{"kd/losses/a.cc", line}}),
              ElementsAre("kd/losses/a.cc:1: a component is declared in a public header"));
  EXPECT_THAT(check({{"kd/losses/a.h", kOnce + line}, {"kxm/a.h", kOnce + line}}), IsEmpty());
  EXPECT_THAT(check({{"kd/losses/a.cc", "} KONFIG_TYPE (kd::losses::A);\n"}}),
              ElementsAre("kd/losses/a.cc:1: a component is declared in a public header"));
  for (const std::string part : {"kd", "konfig", "cli"}) {
    EXPECT_THAT(check({{part + "/a.h", kOnce + line}}),
                ElementsAre(part +
                            "/a.h:1: a component is declared in kxm or in a part of kd, such "
                            "as kd/losses: nothing registers one of " +
                            part));
  }
}

TEST(LayeringRules, ProjectsOfUsersAreNoPartOfTheTree) {
  const base::TempFolder folder("kd_layering_test.");
  const auto add = [&](const std::string& file, const std::string& text) {
    fs::create_directories((folder.path() / file).parent_path());
    std::ofstream(folder.path() / file) << text;
  };
  add("mine/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(mine)\n");
  add("mine/model.cc", "");
  add("konfig/CMakeLists.txt", "kd_library(konfig)\n");
  add("konfig/a.cc", "");
  EXPECT_THAT(layers::read_tree(folder.path().string()),
              ElementsAre(std::pair<const std::string, std::string>("konfig/a.cc", "")));
}

// Moved to a folder engine/, it would still be included where libtorch is not.
TEST(LayeringRules, ComponentsAreDeclaredWithoutTorch) {
  for (const std::string file : {"kd/losses/a.h", "kd/losses/engine/a.h"}) {
    EXPECT_THAT(check({{file, std::string(kOnce) + "#include <ATen/ATen.h>\n" +
                                  "KONFIG_COMPONENT(kd::Loss, L2);\n"}}),
                ElementsAre(file +
                            ":1: a component is declared without libtorch; declare what its "
                            "members name (struct AverageState;) instead of including it (" +
                            file + " > ATen/ATen.h)"));
  }
}

TEST(LayeringRules, Headers) {
  EXPECT_THAT(check({{"konfig/a.h", "int x;\n"}}),
              ElementsAre("konfig/a.h:1: a header needs #pragma once"));
  EXPECT_THAT(check({{"konfig/a.h", kOnce + std::string(500, '\n')}}),
              ElementsAre("konfig/a.h:501: a header has at most 500 lines (501)"));
  EXPECT_THAT(check({{"konfig/a.h", kOnce + std::string(499, '\n')}}), IsEmpty());
}

TEST(LayeringRules, EdgesThatFollowFromOthersAreNotDrawn) {
  const layers::Tree tree = {{"kontext/a.cc", "#include \"konfig/a.h\"\n#include \"base/a.h\"\n"},
                             {"konfig/a.cc", "#include \"base/a.h\"\n"},
                             {"konfig/a_test.cc", "#include \"kontext/a.h\"\n"}};
  EXPECT_THAT(layers::edges(tree),
              ElementsAre(std::pair<std::string, std::string>("konfig", "base"),
                          std::pair<std::string, std::string>("kontext", "konfig")));
}

// ---- What the programs load ---------------------------------------------------------------------

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((command + " 2>&1").c_str(), "r"),
                                                   ::pclose);
  std::string out;
  std::array<char, 4096> buffer;
  while (pipe) {
    const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (n == 0) break;
    out.append(buffer.data(), n);
  }
  return out;
}

void expect_no_torch(const char* name) {
  const fs::path binary = fs::path(KD_BINARY_DIR) / name;
  if (!fs::exists(binary)) GTEST_SKIP() << binary << " is not built";
  const std::string libraries = output_of("ldd '" + binary.string() + "'");
  ASSERT_THAT(libraries, HasSubstr("libc.so"));
  EXPECT_THAT(libraries, Not(HasSubstr("not found")));
  EXPECT_THAT(libraries, Not(HasSubstr("libtorch")));
  EXPECT_THAT(libraries, Not(HasSubstr("libc10")));
}

// A member that two libraries define would be that of the one that is loaded first.
TEST(Loads, EachFunctionIsInOneLibrary) {
  std::map<std::string, std::string> owners;
  std::size_t libraries = 0;
  for (auto& entry : fs::directory_iterator(KD_BINARY_DIR "/lib")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".so")) continue;
    ++libraries;
    std::istringstream lines(output_of("nm -D --defined-only '" + entry.path().string() + "'"));
    std::string address, kind, symbol;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      if (!(words >> address >> kind >> symbol) || kind != "T") continue;
      const auto& [owner, added] = owners.try_emplace(symbol, name);
      EXPECT_TRUE(added || owner->second == name)
          << symbol << " is in " << owner->second << " and in " << name;
    }
  }
  if (libraries == 0) GTEST_SKIP() << "no library is built";
  EXPECT_GT(owners.size(), 100u);
}

TEST(Loads, KdWithoutTorch) { expect_no_torch("kd"); }
TEST(Loads, KonfigWithoutTorch) { expect_no_torch("lib/libkonfig.so"); }

}  // namespace
