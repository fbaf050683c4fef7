// Keys of objects, looked up in a context; calling functions with them.
#include "kontext/keys.h"

#include <gtest/gtest.h>

#include <array>

#include "konfig/expect_test.h"
#include "konfig/map.h"
#include "kontext/call.h"
#include "kontext/get.h"
#include "kontext/path_builder.h"
#include "kontext/toys_test.h"

namespace kontext {
namespace {

using konfig::Dict;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::List;
using konfig::Tuple;
using konfig::Value;

struct L2 {
  Key preds = Key::required();
  Key targets = Key::required();
  std::optional<Key> mask = {};
  std::string note = "batch.image";
};
struct Many {
  std::vector<Key> list = {};
  konfig::Map<Key> map = {};
  std::tuple<Key, std::optional<Key>> pair = {};
  std::variant<int, Key> either = 1;
  konfig::Required<Key> required = Key("step");
};
struct Plain {
  std::string text = "step";
  L2 nested = {};
};
struct Hooked {
  Key ignored = "step";
  Dict kontext_keys() const { return {{"renamed", "batch.image"}, {"none", nullptr}}; }
};

Value context() {
  return Dict{{"batch", Dict{{"image", 1}, {"label", 2}, {"list", List{10, 11}}}},
              {"preds", Dict{{"image", 3}, {"layers", Dict{{"l0", 4}}}}},
              {"step", 0},
              {"none", nullptr}};
}

TEST(Keys, AreFoundInFields) {
  EXPECT_TRUE(is_key_annotated<L2>());
  EXPECT_TRUE(is_key_annotated<Many>());
  EXPECT_TRUE(is_key_annotated<Hooked>());
  EXPECT_FALSE(is_key_annotated<Plain>());
  EXPECT_EQ(
      Value(get_keypaths(L2{.preds = "preds.image"})),
      Value(Dict{{"preds", "preds.image"}, {"targets", "__KEY_REQUIRED__"}, {"mask", nullptr}}));
  Many many{.list = {"a", "b"}, .map = {{"x", "c"}}, .pair = {"d", {}}, .either = Key("e")};
  EXPECT_EQ(Value(get_keypaths(many)), Value(Dict{{"list", List{"a", "b"}},
                                                  {"map", Dict{{"x", "c"}}},
                                                  {"pair", Tuple{"d", nullptr}},
                                                  {"either", "e"},
                                                  {"required", "step"}}));
  EXPECT_EQ(get_keypaths(Plain{}).size(), 0u);
  EXPECT_EQ(get_keypaths(Hooked{}).size(), 2u);
}

TEST(Keys, Resolve) {
  Value ctx = context();
  auto keys = resolve_from_keyed_obj(ctx, L2{.preds = "preds.image", .targets = "batch.list[1]"});
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys["preds"].as<std::int64_t>(), 3);
  EXPECT_EQ(keys["targets"].value(), Value(11));
  EXPECT_EQ(keys.find("mask"), nullptr);
  expect_error(ErrorKind::key, {"pred: ", "did you mean 'preds'?"}, [&] { keys["pred"]; });
  Many many{.list = {"step", "batch.label"}, .map = {{"x", "none"}}, .pair = {"step", {}}};
  many.either = Key("step");
  auto all = resolve_from_keyed_obj(ctx, many);
  EXPECT_EQ(all["list"].value(), Value(List{0, 2}));
  EXPECT_EQ(all["list"][1].value(), Value(2));
  EXPECT_EQ(all["map"].value(), Value(Dict{{"x", nullptr}}));
  EXPECT_EQ(all["pair"].value(), Value(Tuple{0, nullptr}));
  auto hooked = resolve_from_keyed_obj(ctx, Hooked{});
  EXPECT_EQ(hooked.size(), 1u);
  EXPECT_EQ(hooked["renamed"].value(), Value(1));
}

TEST(Keys, Errors) {
  Value ctx = context();
  expect_error(ErrorKind::value, {"L2: required keys are not set: 'preds', 'targets'"},
               [&] { resolve_from_keyed_obj(ctx, L2{}); });
  expect_error(
      ErrorKind::key,
      {"L2: invalid keys\n", "preds = 'preds.imag': preds.imag: ", "did you mean 'image'?",
       "there are: image, layers", "targets = 'batsh.label'", "'batch.label'"},
      [&] { resolve_from_keyed_obj(ctx, L2{.preds = "preds.imag", .targets = "batsh.label"}); });
  expect_error(ErrorKind::value, {"L2: preds: ", "could not parse 'preds['"},
               [&] { resolve_from_keyed_obj(ctx, L2{.preds = "preds[", .targets = "step"}); });
  L2 good{.preds = "step", .targets = "step"};
  Signature signature{.parameters = {{"preds"}, {"targets"}, {"mask", true}}};
  EXPECT_EQ(resolve_from_keyed_obj(ctx, good, signature).size(), 2u);
  expect_error(ErrorKind::type, {"signature", "no parameter 'targets'", "(preds)"},
               [&] { resolve_from_keyed_obj(ctx, good, Signature{.parameters = {{"preds"}}}); });
  expect_error(ErrorKind::type, {"no key gives the parameter 'extra'"}, [&] {
    resolve_from_keyed_obj(ctx, good, Signature{.parameters = {{"extra"}}, .open = true});
  });
}

TEST(Keys, Suggestions) {
  std::vector<std::string> all = {"batch.image",   "batch.label", "batch.list[0]",
                                  "batch.list[1]", "preds.image", "step"};
  EXPECT_EQ(
      closest_paths("batch.images", all),
      (std::vector<std::string>{"batch.image", "batch.label", "batch.list[0]", "batch.list[1]"}));
  EXPECT_TRUE(closest_paths("x", {}).empty());
}

struct Scaled {
  Key x = Key::required();
  std::optional<Key> scale = {};
  std::vector<Key> more = {};
  double offset = 0.5;
  double get(const NdArray& a, std::optional<double> by, const Resolved& rest) const {
    return static_cast<double>(a.data.size()) * by.value_or(1) + offset +
           static_cast<double>(rest.children.size());
  }
};

TEST(Keys, CallByOrderOfFields) {
  toys::Batch batch;
  std::map<std::string, toys::Batch> ctx = {{"batch", batch}};
  EXPECT_EQ(call_with_keys(ctx, Scaled{.x = "batch.image[0,0,0]"}, &Scaled::get), 8.5);
  Scaled scaled{.x = "batch.image[0,0]", .scale = "batch.rates.z", .more = {"batch", "batch.ids"}};
  EXPECT_EQ(call_with_keys(ctx, scaled, &Scaled::get), 22.5);
  auto count = [](const NdArray& a, std::optional<float>, Resolved) { return a.shape.size(); };
  EXPECT_EQ(call_with_keys(ctx, scaled, count), 2u);
}

TEST(PathBuilder, MemberChains) {
  using toys::Batch;
  using toys::Box;
  auto batch = path_builder_from<Batch>("batch");
  Key score = batch[&Batch::boxes][0][&Box::score];
  EXPECT_EQ(score.str(), "batch.boxes[0].score");
  EXPECT_EQ(batch[&Batch::best][&Box::label].str(), "batch.best.label");
  EXPECT_EQ(batch[&Batch::shared][&Box::label].str(), "batch.shared.label");
  EXPECT_EQ(batch[&Batch::ids]["a b"].str(), "batch.ids['a b']");
  EXPECT_EQ((batch[&Batch::image][Axes{Ellipsis{}, 0}].str()), "batch.image[...,0]");
  EXPECT_EQ(path_builder_from("preds")["x"][Slice{.start = 1}].str(), "preds.x[1:]");
  std::map<std::string, Batch> context = {{"batch", Batch{}}};
  EXPECT_EQ(get_by_path<float>(context, batch[&Batch::boxes][-1][&Box::score].key()), 0.25f);
}

}  // namespace
}  // namespace kontext
