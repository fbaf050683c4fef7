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
#include <string_view>
#include <vector>

#include "test_paths.h"

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kMaxHeaderLines = 500;

// What each layer may include besides itself.
const std::map<std::string, std::set<std::string>> kLayers = {
    {"base", {}},
    {"konfig", {"base"}},
    {"kontext", {"base", "konfig"}},
    {"flags", {"base", "konfig", "kontext"}},
    {"loader", {"base", "konfig", "kontext", "flags"}},
    {"kxm", {"base", "konfig", "kontext", "flags", "loader"}},
    {"kd", {"base", "konfig", "kontext", "flags", "loader"}},
    {"cli", {"base", "konfig", "kontext", "flags", "loader", "kxm", "kd"}},
    {"board", {"base", "konfig", "kontext", "flags", "loader", "kxm", "kd"}},
};

// Directories that no library may include; its tests may use helpers from tests/.
const std::set<std::string> kOutside = {"tests", "examples", "bench", "tools"};

const std::set<std::string> kWithoutTorch = {"base",   "konfig", "kontext", "flags",
                                             "loader", "kxm",    "cli"};

using Tree = std::map<std::string, std::string>;  // path from the source root -> text

struct Include {
  int line;
  std::string path;
};

std::string top(const std::string& path) { return path.substr(0, path.find('/')); }

bool is_test(const std::string& path) {
  static const std::regex kTest(R"(_(test|fuzz|bench)\w*\.(cc|h)$)");
  return std::regex_search(path, kTest);
}

bool is_torch(const std::string& include) {
  return std::set<std::string>{"torch", "ATen", "c10"}.contains(top(include)) &&
         include.find('/') != std::string::npos;
}

std::vector<Include> includes_of(const std::string& file, const Tree& tree) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::vector<Include> found;
  std::istringstream lines(tree.at(file));
  std::string text;
  for (int line = 1; std::getline(lines, text); ++line) {
    std::smatch match;
    if (text.find('#') == std::string::npos || !std::regex_search(text, match, kInclude)) continue;
    std::string path = match[1];
    // "value.h" and "../kd/kd.h" are meant relative to the file.
    const auto beside = (fs::path(file).parent_path() / path).lexically_normal().string();
    if (!tree.contains(path) && tree.contains(beside)) path = beside;
    found.push_back({line, path});
  }
  return found;
}

std::string at(const std::string& file, int line) { return file + ":" + std::to_string(line); }

void check_layers(const Tree& tree, std::vector<std::string>& errors) {
  for (const auto& [file, text] : tree) {
    const auto layer = kLayers.find(top(file));
    if (layer == kLayers.end()) continue;
    for (const Include& include : includes_of(file, tree)) {
      const std::string target = top(include.path);
      const bool other_layer = kLayers.contains(target) && target != layer->first;
      const bool outside = kOutside.contains(target) && !(is_test(file) && target == "tests");
      if (outside || (other_layer && !layer->second.contains(target))) {
        errors.push_back(at(file, include.line) + ": " + layer->first + " must not include " +
                         target + " (" + include.path + ")");
      }
      if (kWithoutTorch.contains(layer->first) && is_torch(include.path)) {
        errors.push_back(at(file, include.line) + ": " + layer->first +
                         " must not include libtorch (" + include.path + ")");
      }
    }
  }
}

// A config file includes kd/kd.h, and reading a config never loads libtorch.
void check_umbrella(const Tree& tree, std::vector<std::string>& errors) {
  const std::string umbrella = "kd/kd.h";
  if (!tree.contains(umbrella)) return;
  std::map<std::string, std::string> chain = {{umbrella, umbrella}};
  std::vector<std::string> queue = {umbrella};
  while (!queue.empty()) {
    const std::string file = queue.back();
    queue.pop_back();
    for (const Include& include : includes_of(file, tree)) {
      if (is_torch(include.path)) {
        errors.push_back(at(file, include.line) + ": kd/kd.h must not reach libtorch (" +
                         chain[file] + " > " + include.path + ")");
      }
      if (!tree.contains(include.path) || chain.contains(include.path)) continue;
      chain[include.path] = chain[file] + " > " + include.path;
      queue.push_back(include.path);
    }
  }
}

void check_headers(const Tree& tree, std::vector<std::string>& errors) {
  for (const auto& [file, text] : tree) {
    if (!file.ends_with(".h")) continue;
    if (text.find("#pragma once") == std::string::npos) {
      errors.push_back(at(file, 1) + ": a header needs #pragma once");
    }
    const auto lines = std::count(text.begin(), text.end(), '\n');
    if (lines > kMaxHeaderLines) {
      errors.push_back(at(file, kMaxHeaderLines + 1) + ": a header has at most " +
                       std::to_string(kMaxHeaderLines) + " lines (" + std::to_string(lines) + ")");
    }
  }
}

std::vector<std::string> check(const Tree& tree) {
  std::vector<std::string> errors;
  check_layers(tree, errors);
  check_umbrella(tree, errors);
  check_headers(tree, errors);
  return errors;
}

Tree read_source_tree() {
  Tree tree;
  const fs::path root = KD_SOURCE_DIR;
  for (auto it = fs::recursive_directory_iterator(root); it != end(it); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      if (name.starts_with('.') || (it.depth() == 0 && name.starts_with("build"))) {
        it.disable_recursion_pending();
      }
    } else if (name.ends_with(".h") || name.ends_with(".cc")) {
      std::ifstream in(it->path(), std::ios::binary);
      tree[fs::relative(it->path(), root).generic_string()] = {std::istreambuf_iterator<char>(in),
                                                               {}};
    }
  }
  // What the build makes of the headers, where kd/kd.h finds it.
  const std::string generated = "kd/components.h";
  std::ifstream in(fs::path(KD_BINARY_DIR) / "obj/include" / generated, std::ios::binary);
  tree[generated] = {std::istreambuf_iterator<char>(in), {}};
  return tree;
}

std::string join(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

TEST(Layering, SourceTree) {
  const Tree tree = read_source_tree();
  ASSERT_TRUE(tree.contains("tests/layering_test.cc"));
  ASSERT_THAT(tree.at("kd/components.h"), HasSubstr("#include \"kd/losses/"));
  const auto errors = check(tree);
  EXPECT_TRUE(errors.empty()) << join(errors);
}

// ---- The rules themselves -----------------------------------------------------------------------

constexpr char kOnce[] = "#pragma once\n";

TEST(LayeringRules, LowerLayersDoNotIncludeUpperOnes) {
  EXPECT_THAT(check({{"konfig/a.cc", "// a\n#include \"kd/kd.h\"\n"}}),
              ElementsAre("konfig/a.cc:2: konfig must not include kd (kd/kd.h)"));
  EXPECT_THAT(check({{"kontext/a.cc", "#include <kxm/job.h>"}}),
              ElementsAre("kontext/a.cc:1: kontext must not include kxm (kxm/job.h)"));
  EXPECT_THAT(check({{"kd/nn/a.cc", " #  include \"kxm/job.h\""}}),
              ElementsAre("kd/nn/a.cc:1: kd must not include kxm (kxm/job.h)"));
  EXPECT_THAT(check({{"kxm/a.cc", "#include \"cli/main.h\""}}),
              ElementsAre("kxm/a.cc:1: kxm must not include cli (cli/main.h)"));
  EXPECT_THAT(check({{"kd/nn/a.cc", "#include \"../../cli/x.h\""}, {"cli/x.h", kOnce}}),
              ElementsAre("kd/nn/a.cc:1: kd must not include cli (cli/x.h)"));
  EXPECT_THAT(check({{"konfig/a.cc", "#include \"tests/util.h\""}}),
              ElementsAre("konfig/a.cc:1: konfig must not include tests (tests/util.h)"));
}

TEST(LayeringRules, UpperLayersIncludeLowerOnes) {
  EXPECT_THAT(check({{"kxm/a.cc", "#include \"konfig/a.h\"\n#include \"kontext/a.h\"\n"},
                     {"kd/a.cc", "#include \"konfig/a.h\"\n#include <torch/torch.h>\n"},
                     {"cli/a.cc", "#include \"kd/kd.h\"\n#include \"kxm/a.h\"\n"},
                     {"konfig/a_test.cc", "#include \"tests/util.h\"\n#include <gtest/gtest.h>"},
                     {"examples/a.cc", "#include \"kd/kd.h\"\n"}}),
              IsEmpty());
}

TEST(LayeringRules, NoTorchBelowTheEngine) {
  EXPECT_THAT(check({{"konfig/a.cc", "#include <torch/torch.h>"}}),
              ElementsAre("konfig/a.cc:1: konfig must not include libtorch (torch/torch.h)"));
  EXPECT_THAT(check({{"cli/a.cc", "#include <c10/util/x.h>"}}),
              ElementsAre("cli/a.cc:1: cli must not include libtorch (c10/util/x.h)"));
  EXPECT_THAT(
      check({{"kd/kd.h", "#pragma once\n#include \"kd/nn/engine/nn.h\"\n"},
             {"kd/nn/engine/nn.h", "#pragma once\n#include \"dense.h\"\n"},
             {"kd/nn/layers/dense.h", "#pragma once\n\n#include <ATen/core/TensorBody.h>\n"}}),
      ElementsAre(
          "kd/nn/layers/dense.h:3: kd/kd.h must not reach libtorch (kd/kd.h > kd/nn/engine/nn.h > "
          "kd/nn/layers/dense.h > ATen/core/TensorBody.h)"));
}

TEST(LayeringRules, Headers) {
  EXPECT_THAT(check({{"kd/a.h", "int x;\n"}}),
              ElementsAre("kd/a.h:1: a header needs #pragma once"));
  EXPECT_THAT(check({{"kd/a.h", kOnce + std::string(500, '\n')}}),
              ElementsAre("kd/a.h:501: a header has at most 500 lines (501)"));
  EXPECT_THAT(check({{"kd/a.h", kOnce + std::string(499, '\n')}}), IsEmpty());
}

// ---- What the programs load ---------------------------------------------------------------------

std::string shared_libraries_of(const fs::path& binary) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      ::popen(("ldd '" + binary.string() + "' 2>&1").c_str(), "r"), ::pclose);
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
  const std::string libraries = shared_libraries_of(binary);
  ASSERT_THAT(libraries, HasSubstr("libc.so"));
  EXPECT_THAT(libraries, Not(HasSubstr("not found")));
  EXPECT_THAT(libraries, Not(HasSubstr("libtorch")));
  EXPECT_THAT(libraries, Not(HasSubstr("libc10")));
}

TEST(Loads, KdWithoutTorch) { expect_no_torch("kd"); }
TEST(Loads, KonfigWithoutTorch) { expect_no_torch("lib/libkonfig.so"); }

}  // namespace
