#include "base/fill_template.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace base {
namespace {

TEST(FillTemplate, Header) {
  auto value = [](std::string_view name) { return name == "a" ? "1" : "2"; };
  const std::string filled = fill_template("{a}/{b}.model", value);
  EXPECT_EQ(filled, "1/2.model");
}

TEST(FillTemplate, NamesAndBraces) {
  auto fill = [](std::string_view text) {
    return fill_template(text, [](std::string_view name) {
      if (name == "wrong") throw std::runtime_error("wrong");
      return "<" + std::string(name) + ">";
    });
  };
  EXPECT_EQ(fill(""), "");
  EXPECT_EQ(fill("{a}/{b.c}.x"), "<a>/<b.c>.x");
  EXPECT_EQ(fill("{{a}} {b"), "{a} <{b>");
  EXPECT_EQ(fill("}"), "}");
  EXPECT_THROW(fill("a{wrong}"), std::runtime_error);
}

}  // namespace
}  // namespace base
