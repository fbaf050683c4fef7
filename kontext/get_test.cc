// Reading by path: defaults and errors.
#include "kontext/get.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "kontext/toys_test.h"

namespace kontext {
namespace {

using konfig::Dict;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::List;
using konfig::Value;

Value tree() {
  return Dict{{"batch", Dict{{"image", 1}, {"label", List{10, 20}}, {"none", nullptr}}},
              {"step", 3}};
}

TEST(Get, Defaults) {
  Value t = tree();
  EXPECT_EQ(get_by_path<int>(t, "batch.image", 7), 1);
  EXPECT_EQ(get_by_path<int>(t, "batch.nope", 7), 7);
  EXPECT_EQ(get_by_path<int>(t, "batch.label[2]", 7), 7);
  EXPECT_EQ(get_by_path<int>(t, "step.x.y", 7), 7);
  EXPECT_EQ(get_by_path<int>(t, std::nullopt, 7), 7);
  EXPECT_THROW(get_by_path<int>(t, "batch[", 7), ParseError);
  EXPECT_EQ(get_by_path(t, std::nullopt).shape(), Shape::none);
  EXPECT_EQ(get_by_path<int>(t, Key("step")), 3);
  EXPECT_EQ(get_by_path<int>(t, std::optional<Key>("step")), 3);
  EXPECT_EQ(get_by_path<int>(t, Path{"batch", "label", 1}), 20);
  EXPECT_EQ(get_by_path(t, "").value(), t);
}

TEST(Get, ErrorsNameTheLevel) {
  Value t = tree();
  expect_error(ErrorKind::key,
               {"batch.imag: the dict has no key 'imag'; did you mean 'image'?",
                "(there are: image, label, none)"},
               [&] { get_by_path(t, "batch.imag"); });
  expect_error(ErrorKind::key, {"batch.lable: ", "'label'", "looking for 'batch.lable[0].x'"},
               [&] { get_by_path(t, "batch.lable[0].x"); });
  expect_error(ErrorKind::key, {"batch.label[5]: the list has 2 item(s), there is none at 5"},
               [&] { get_by_path(t, "batch.label[5]"); });
  expect_error(ErrorKind::key, {"batch.label.x: the list has no 'x'", "[0] to [1]"},
               [&] { get_by_path(t, "batch.label.x"); });
  expect_error(ErrorKind::key, {"batch.none.x: None has no 'x'"},
               [&] { get_by_path(t, "batch.none.x"); });
  expect_error(ErrorKind::key, {"step.x: the int has no 'x'"}, [&] { get_by_path(t, "step.x"); });
  toys::Batch batch;
  expect_error(ErrorKind::key,
               {"boxs: the kontext::toys::Batch has no field 'boxs'; did you mean 'boxes'?"},
               [&] { get_by_path(batch, "boxs"); });
  expect_error(ErrorKind::value, {"wildcard"}, [&] { get_by_path(t, "batch.*"); });
}

TEST(Get, ManyNamesAreCutOff) {
  std::map<std::string, int> many;
  for (int i = 0; i < 100; ++i) many["key" + std::to_string(i)] = i;
  expect_error(ErrorKind::key, {", and 70 more)"}, [&] { get_by_path(many, "nope"); });
}

}  // namespace
}  // namespace kontext
