// Tests of what is found in a header: components, and interfaces that are implemented.
#include "tools/declarations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace components {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// "type: interface" for each component, which keeps the tests readable.
std::vector<std::string> found(std::string_view header) {
  std::vector<std::string> out;
  for (const Declaration& d : scan_declarations(header).components) {
    out.push_back(d.type + ": " + d.interface + (d.registered ? "" : ", too"));
  }
  return out;
}

TEST(Declarations, Components) {
  EXPECT_THAT(found(R"(
namespace kd::losses {
struct L2 { Float<"*a"> get_values(Float<"*a"> preds) const; };
}
KONFIG_COMPONENT(kd::Loss, kd::losses::L2, "kauldron.kd:losses.L2");
KONFIG_COMPONENT(kd::Loss, kd::losses::Huber,
                 "kauldron.kd:losses.Huber",
                 "kauldron.kd:losses.SmoothL1");
KONFIG_COMPONENT(kd::Transform, ::kd::data::Reshape);
KONFIG_TYPE(kd::train::Setup, "kauldron.kd:train.Setup");
KONFIG_TYPE(Global);
KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::GRUCell);
)"),
              ElementsAre("kd::losses::L2: kd::Loss", "kd::losses::Huber: kd::Loss",
                          "::kd::data::Reshape: kd::Transform", "kd::train::Setup: ", "Global: ",
                          "kd::nn::GRUCell: kd::nn::RnnCell, too"));
}

TEST(Declarations, Names) {
  const auto declared = scan_declarations(R"(
KONFIG_COMPONENT(kd::Loss, kd::losses::Huber,
                 "kauldron.kd:losses.Huber",  // "no name"
                 "kauldron.kd:losses.SmoothL1");
KONFIG_TYPE(Global);
const char* kText = "text";)");
  ASSERT_THAT(declared.components, testing::SizeIs(2));
  EXPECT_THAT(declared.components[0].names,
              ElementsAre("kauldron.kd:losses.Huber", "kauldron.kd:losses.SmoothL1"));
  EXPECT_THAT(declared.components[1].names, IsEmpty());
}

TEST(Declarations, NotInCommentsTextsAndMacros) {
  EXPECT_THAT(found(R"(
//   KONFIG_COMPONENT(kd::Loss, A, "a:A");
/* KONFIG_TYPE(B); */
#define KONFIG_COMPONENT(I, T, ...) \
  KONFIG_TYPE(T, __VA_ARGS__)
const char* kText = "KONFIG_TYPE(C);";
KONFIG_ARGUMENTS(kd::Module, VitVariant);
)"),
              IsEmpty());
}

TEST(Declarations, ImplementedInterfaces) {
  EXPECT_THAT(scan_declarations(R"(
//   struct kd::Implement<kd::Comment> {
namespace kd {
template <class Interface>
struct Implement;
template <>
struct Implement<Loss> { using Ops = losses::LossOps; };
}
template <>
struct kd::Implement<kd::nn::RnnCell> {};
using Ops = typename Implement<I>::Ops;
)")
                  .implemented,
              ElementsAre("kd::Loss", "kd::nn::RnnCell"));
}

TEST(Declarations, BrokenTextDoesNotHangOrCrash) {
  for (const char* text :
       {"", "KONFIG_COMPONENT", "KONFIG_COMPONENT(", "KONFIG_COMPONENT(kd::Loss",
        "KONFIG_COMPONENT(kd::Loss,", "KONFIG_TYPE(", "KONFIG_TYPE()", "struct", "struct Implement",
        "struct Implement<", "struct Implement<kd::Loss>", "struct kd::Implement<>"}) {
    EXPECT_THAT(found(text), IsEmpty()) << text;
    EXPECT_THAT(scan_declarations(text).implemented, IsEmpty()) << text;
  }
}

// "line: text" of what is refused.
std::string fault_of(std::string_view header) {
  std::string out;
  for (const Fault& fault : scan_declarations(header).faults) {
    out += std::to_string(fault.line) + ": " + fault.text + "\n";
  }
  return out;
}

TEST(Declarations, WhatIsNoPlainNameIsReported) {
  EXPECT_THAT(fault_of("int x;\nKONFIG_COMPONENT(kd::Loss, P<3>, \"a:b\");"),
              StartsWith("2: a component is declared by the plain names"));
  EXPECT_THAT(fault_of("KONFIG_TYPE(\"a\");"), StartsWith("1: a component is declared"));
  EXPECT_EQ(fault_of("KONFIG_COMPONENT(kd::Loss, L2);"), "");
}

TEST(Declarations, NamesThatAreNoPlainTexts) {
  for (const char* rest : {"R\"(a:b)\");", "\"a:\\x41\");", "kName);", "\"a:b\", );",
                           "\"a:b\";\nKONFIG_TYPE(kd::B, \"a:c\");"}) {
    EXPECT_THAT(fault_of("KONFIG_TYPE(kd::A, " + std::string(rest)),
                StartsWith("1: kd::A: its names are texts such as"))
        << rest;
  }
  const auto declared = scan_declarations("KONFIG_TYPE(kd::A, \"a.b:\"\n\"C\", \"a:D\");");
  ASSERT_THAT(declared.components, testing::SizeIs(1));
  EXPECT_THAT(declared.components[0].names, ElementsAre("a.b:C", "a:D"));
}

// Whether they are compiled is not known where the build reads them.
TEST(Declarations, BetweenIfAndEndif) {
  EXPECT_THAT(fault_of("#pragma once\n#if 0\nKONFIG_TYPE(kd::A);\n#endif\n"),
              StartsWith("3: kd::A is declared between #if and #endif"));
  EXPECT_THAT(fault_of("#  ifdef A\n#if B\n#endif\n#else\nKONFIG_TYPE(kd::A);\n#endif\n"),
              StartsWith("5: kd::A is declared between #if and #endif"));
  EXPECT_EQ(fault_of("#if A\n#include \"a.h\"\n#endif\nKONFIG_TYPE(kd::A);\n#if B\n#endif"), "");
}

TEST(Declarations, BehindAMacro) {
  EXPECT_THAT(fault_of("#define KD_LOSS(T) KONFIG_COMPONENT(kd::Loss, T)\nKD_LOSS(kd::A);"),
              StartsWith("1: the build does not read macros: write KONFIG_COMPONENT"));
  EXPECT_EQ(fault_of("#define KD_COMPONENT(I, T) KONFIG_LOCAL_COMPONENT(I, T)"), "");
}

TEST(Declarations, InterfacesWithATableOfTheirOwn) {
  const auto declared = scan_declarations(R"(
namespace kxm {
class AnyJob {};
class Later;
template <class T> class List { struct Other {}; };
namespace detail { class Part { public: int x; }; }
class Executor {
 public:
  struct Attempt { int n; };
  struct Ops { bool (*accepts)(const void*); };
};
struct Ops { int not_of_a_class; };
}
struct Ops { int of_nothing; };
)");
  EXPECT_THAT(declared.with_ops, ::testing::Contains("kxm::Executor"));
  EXPECT_THAT(declared.without_functions, ElementsAre("kxm::AnyJob"));
}

}  // namespace
}  // namespace components
