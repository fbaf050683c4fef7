// Tests of what is found in a header: components, and interfaces that are implemented.
#include "tools/declarations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace components {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

TEST(Declarations, WhatIsNoPlainNameIsReported) {
  EXPECT_THAT(scan_declarations("int x;\nKONFIG_COMPONENT(kd::Loss, P<3>, \"a:b\");").unreadable,
              ::testing::ElementsAre(2));
  EXPECT_THAT(scan_declarations("KONFIG_TYPE(\"a\");").unreadable, ::testing::ElementsAre(1));
  EXPECT_THAT(scan_declarations("KONFIG_COMPONENT(kd::Loss, L2);").unreadable,
              ::testing::IsEmpty());
}

}  // namespace
}  // namespace components
