#include "konfig/copy_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "konfig/expect_test.h"
#include "konfig/toy_test.h"

namespace copy_fields_test {
namespace {

using konfig::copy_fields;
using konfig::ErrorKind;
using konfig::expect_error;

struct Files {
  bool csv = true;
  std::string folder = "here";
  konfig::Poly<toy::Optimizer> optimizer = {};
  int own = 1;
};
struct Arrays {
  int other = 5;
  konfig::Poly<toy::Optimizer> optimizer = {};
  std::string folder = "there";
  bool csv = true;
};
struct Numbers {
  double folder = 0;
};

TEST(CopyFields, SharedOnesByName) {
  Arrays arrays{.optimizer = toy::Adam{.b1 = 0.5}, .csv = false};
  Files files;
  copy_fields(arrays, files);
  EXPECT_FALSE(files.csv);
  EXPECT_EQ(files.folder, "there");
  EXPECT_EQ(files.optimizer.as<toy::Adam>().b1, 0.5);
  EXPECT_EQ(files.own, 1);
  EXPECT_EQ(arrays.folder, "there");
}

TEST(CopyFields, AnotherTypeIsAnError) {
  expect_error(ErrorKind::type, {"folder", "Files", "double"}, [] {
    Numbers numbers;
    copy_fields(Files{}, numbers);
  });
}

}  // namespace
}  // namespace copy_fields_test
