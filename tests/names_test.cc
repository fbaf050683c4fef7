// Folder, target and namespace of a part have one name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "test_paths.h"
#include "tools/namespaces.h"

namespace {

using layers::check_namespaces;
using layers::declared_in;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out;
  for (const layers::Declared& declared : declared_in(text)) {
    out.push_back(declared.space + "::" + declared.name);
  }
  return out;
}

TEST(Names, NamespacesAreThoseOfTheFolders) {
  const layers::Tree tree = layers::read_tree(KD_SOURCE_DIR);
  ASSERT_THAT(names_in(tree.at("kd/optim/schedules.h")), Contains("kd::optim::CosineDecay"));
  EXPECT_THAT(check_namespaces(tree), IsEmpty());
}

TEST(Names, LibrariesAreThoseOfTheFolders) {
  std::map<std::string, std::string> lists;
  for (const layers::Part& part : layers::parts()) {
    const std::string name = part.name + "/CMakeLists.txt";
    std::ifstream in(KD_SOURCE_DIR "/" + name);
    lists[name] = {std::istreambuf_iterator<char>(in), {}};
  }
  EXPECT_THAT(layers::check_targets(lists), IsEmpty());
  EXPECT_THAT(layers::check_links(lists), IsEmpty());

  lists["kd/optim/CMakeLists.txt"] =
      "# kd_engine_library(kd_optim )\nkd_engine_library(kd_optimizers DEPS kauldron::kd_random\n"
      "  kauldron::kd_writers)\n";
  EXPECT_THAT(
      layers::check_links(lists),
      ElementsAre("kd/optim/CMakeLists.txt: links kd_writers, which is not below kd/optim"));
  lists.erase("kontext/CMakeLists.txt");
  EXPECT_THAT(layers::check_targets(lists),
              ElementsAre("kontext/CMakeLists.txt: makes no library kontext",
                          "kd/optim/CMakeLists.txt: makes no library kd_optim"));
}

// ---- The rules themselves -----------------------------------------------------------------------

TEST(NamesRules, WhatAFileDeclares) {
  EXPECT_THAT(names_in(R"(
    #include "a.h"
    namespace a::b {
    struct Plain { int x = 1; void f() {} };
    template <class T> requires(sizeof(T) > 1) struct Made : Plain, Other<T> { T t{}; };
    enum class Kind : std::uint8_t { one, two };
    constexpr std::array<int, 2> kTwo = {1, 2};
    inline std::vector<int> list(const std::map<int, int>& m = {}) { return {1, 2}; }
    [[nodiscard]] bool is_there(int);
    }  // namespace a::b
    namespace a {
    inline namespace v1 { int one() { return 1; } }
    }
    int outside();)"),
              ElementsAre("a::b::Plain", "a::b::Made", "a::b::Kind", "a::b::kTwo", "a::b::list",
                          "a::b::is_there", "a::v1::one", "::outside"));
}

TEST(NamesRules, WhatIsNotAFilesOwn) {
  EXPECT_THAT(names_in(R"(
    namespace a {
    class Later;
    enum class Kind : int;
    template <class T> class List;
    using b::Thing;
    template <class T> using Alias = List<T>;
    namespace short_name = a::b;
    template <> struct Traits<Thing> { int x; };
    template <> int number<Thing>() { return 1; }
    template <class T> struct Traits<List<T>> { int x; };
    template class List<int>;
    int Traits<Thing>::get() const { return 1; }
    Thing::Thing() : x_{1}, y_(2) {}
    namespace { struct Hidden {}; int helper() { return 1; } }
    static_assert(sizeof(int) == 4);
    }
    extern "C" void gomp(void (*f)(void*));
    extern "C" { int of_c(); }
    KONFIG_COMPONENT(kd::Loss, a::Thing, "a:Thing");)"),
              IsEmpty());
}

TEST(NamesRules, EveryPartHasItsNamespace) {
  EXPECT_THAT(check_namespaces({{"kd/optim/a.h", "namespace kd::optim::detail { struct A {}; }"},
                                {"kd/core/a.h", "namespace kd { struct A {}; }"},
                                {"kxm/slurm/a.h", "namespace kxm::slurm { struct A {}; }"},
                                {"kd/optim/a_test.cc", "struct A {};"},
                                {"kd/nn/compile_fail/a.cc", "struct A {};"},
                                {"examples/a.cc", "struct A {};"}}),
              IsEmpty());
  EXPECT_THAT(check_namespaces({{"kd/optim/a.h", "namespace kd {\nstruct A {};\n}"}}),
              ElementsAre("kd/optim/a.h:2: A is in kd, and its folder is that of kd::optim"));
  EXPECT_THAT(check_namespaces({{"kd/core/a.h", "namespace kd::nn { struct A {}; }"}}),
              ElementsAre("kd/core/a.h:1: A is in kd::nn, and its folder is that of kd"));
  EXPECT_THAT(check_namespaces({{"konfig/a.h", "struct A {};"}}),
              ElementsAre("konfig/a.h:1: A is in no namespace, and its folder is that of konfig"));
  EXPECT_THAT(check_namespaces({{"konfig/a.h", "namespace config { int a(); }"}}),
              ElementsAre("konfig/a.h:1: a is in config, and its folder is that of konfig"));
}

}  // namespace
