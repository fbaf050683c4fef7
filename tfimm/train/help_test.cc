// Help and completion of the flags, which grow with the classes chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tfimm/train/parse_args.h"
#include "tfimm/train/toys_test.h"

namespace tfimm::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const toy::Outer kNothing{.n = nullptr, .n_class = ""};

std::string help_of(const std::vector<std::string>& args) {
  try {
    parse_args(kNothing, args);
  } catch (const HelpRequested& help) {
    return help.text();
  }
  return "";
}

TEST(Help, GrowsWithTheClassesChosen) {
  EXPECT_THAT(help_of({"--help"}), Not(HasSubstr("--n.")));
  EXPECT_THAT(help_of({"--help"}), HasSubstr("--n_class=CLASS"));
  EXPECT_THAT(help_of({"--help"}), HasSubstr(" Leaf, LeafLike, "));
  const std::string text = help_of({"-h", "--n_class=SimpleClass"});
  EXPECT_THAT(text, HasSubstr("--n.i=INT"));
  EXPECT_THAT(text, HasSubstr("(required)"));
  EXPECT_THAT(text, HasSubstr("  --n.td=TUPLE     (default: (1, 2))\n"));
  EXPECT_THAT(help_of({"--n_class=Mid", "--help"}), HasSubstr("--n.m.a=INT"));
}

TEST(Help, SaysWhatIsWrongWithTheFlags) {
  EXPECT_THAT(
      help_of({"--n_class=Leave", "--lrr=1", "--help"}),
      ::testing::AllOf(HasSubstr("error: --n_class: no class is registered as 'Leave'"),
                       HasSubstr("\nerror: --lrr: unknown flag; did you mean --lr?\n\nFlags"),
                       HasSubstr("--lr=FLOAT")));
  EXPECT_THAT(help_of({"--help"}), ::testing::StartsWith("Flags"));
}

TEST(Completion, OffersFlagsAndClasses) {
  EXPECT_THAT(complete_args(kNothing, {}, "--n"), ElementsAre("--n_class="));
  EXPECT_THAT(complete_args(kNothing, {"--n_class=Leaf"}, "--n."),
              ElementsAre("--n.a=", "--n.b=", "--n.name="));
  EXPECT_THAT(complete_args(kNothing, {}, "--n_class=Le"),
              ElementsAre("--n_class=Leaf", "--n_class=LeafLike"));
  EXPECT_THAT(complete_args(kNothing, {"--n_class=Mid"}, "--n.c="),
              ElementsAre("--n.c=false", "--n.c=true"));
  EXPECT_THAT(complete_args(kNothing, {"--cfg_file=nowhere"}, "--n"), ElementsAre());
}

}  // namespace
}  // namespace tfimm::train
