// A name that configs write means one thing: components, constants and functions of all libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "test_paths.h"
#include "tools/generate.h"
#include "tools/layers.h"

namespace {

using components::Header;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// What the file registers. A constant `T{}` may have the name of T, so its type is T; that of any
// other constant and of a function is its text.
Header names_in(const std::string& file, const std::string& text) {
  Header out = components::read_header(file, file.ends_with(".h") ? text : "");
  static const std::regex kNamed(
      R"re(\nKONFIG_(?:CONSTANT|FUNCTION)\(\s*"([^"]+)",\s*([^;]*?)(?:\{\})?\);)re");
  for (std::sregex_iterator it(text.begin(), text.end(), kNamed), end; it != end; ++it) {
    const auto line = std::count(text.begin(), text.begin() + it->position() + 1, '\n') + 1;
    out.declared.components.push_back(
        {.type = (*it)[2], .names = {(*it)[1]}, .line = static_cast<int>(line)});
  }
  return out;
}

const std::vector<Header>& all_names() {
  static const std::vector<Header> all = [] {
    std::vector<Header> out;
    for (auto& [file, text] : layers::read_tree(KD_SOURCE_DIR)) {
      const std::string part = layers::part_of(file);
      if (layers::is_test(file) || !(part == "kxm" || part == "tfimm" || part.starts_with("kd/"))) {
        continue;
      }
      Header names = names_in(file, text);
      if (!names.declared.components.empty()) out.push_back(std::move(names));
    }
    return out;
  }();
  return all;
}

void check_with(const std::string& file, const std::string& text) {
  std::vector<Header> names = all_names();
  names.push_back(names_in(file, text));
  components::check_names(names);
}

TEST(Components, EachNameIsThatOfOne) {
  ASSERT_GT(all_names().size(), 100u);
  EXPECT_NO_THROW(components::check_names(all_names()));
}

TEST(Components, ANameOfAnotherLibraryIsTaken) {
  EXPECT_THAT(
      [] {
        check_with("kd/x.h",
                   "\nKONFIG_TYPE(kd::losses::X, \"kd.x:X\", \"xmanager.xm:JobGroup\");\n");
      },
      ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("kd/x.h:2: kd::losses::X has the name"),
                                              HasSubstr("and so has kxm::JobGroup (kxm/"))));
}

TEST(Components, ANameOfAConstantOrAFunctionIsTaken) {
  for (const std::string name :
       {"jax.nn:initializers.zeros", "datetime:timedelta", "kauldron.kxm:file_path",
        "kd.nn.PreNormBlock.from_spec", "kd.sharding:FIRST_DIM"}) {
    EXPECT_THAT(
        [&] { check_with("kd/x.h", "\nKONFIG_TYPE(kd::losses::X, \"" + name + "\");\n"); },
        ThrowsMessage<std::runtime_error>(HasSubstr("has the name \"" + name + "\", and so has")));
  }
  EXPECT_THAT(
      [] { check_with("kd/x.cc", "\nKONFIG_CONSTANT(\"jax.nn:initializers.zeros\", 1);\n"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("kd/x.cc:2: 1 has the name")));
}

}  // namespace
