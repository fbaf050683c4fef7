// Values as trees: every kind of C++ type, and a user's own.
#include "kontext/tree.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/reference.h"
#include "konfig/register.h"
#include "konfig/resolve.h"
#include "kontext/get.h"
#include "kontext/set.h"
#include "kontext/toys_test.h"

namespace kontext {

namespace toys {
struct Layer {  // an interface
  static constexpr std::string_view konfig_name = "a layer";
};
struct Dense {
  int features = 8;
  std::optional<double> rate = {};
  std::vector<int> sizes = {1, 2, 3};
  konfig::Map<std::string> notes = {{"a", "x"}};
};
struct Model {
  konfig::Poly<Layer> encoder = {};
  konfig::Required<int> width = 4;
};
}  // namespace toys
}  // namespace kontext

template <>
inline constexpr bool konfig::implements<kontext::toys::Layer, kontext::toys::Dense> = true;

namespace kontext {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::List;
using konfig::Tuple;
using konfig::Value;
using toys::Batch;
using toys::Box;

TEST(Tree, StructsAndContainers) {
  Batch batch;
  TreeRef tree = batch;
  EXPECT_EQ(tree.shape(), Shape::record);
  EXPECT_EQ(tree.child("boxes").child(-1).child("label").as<std::string>(), "dog");
  EXPECT_EQ(tree.child("ids").child("a b").as<int>(), 1);
  EXPECT_EQ(tree.child("names").child(3).as<std::string>(), "three");
  EXPECT_EQ(tree.child("rates").child("z").as<double>(), 0.5);
  EXPECT_EQ(tree.child("pair").child(1).as<float>(), 2.5f);
  EXPECT_TRUE(tree.child("bits").child(0).as<bool>());
  EXPECT_EQ(tree.child("boxes").child(Slice{.start = 1}).size(), 1u);
  EXPECT_FALSE(tree.child("boxes").child(2));
  EXPECT_FALSE(tree.child("boxes").child("label"));
  EXPECT_FALSE(tree.child("nope"));
  EXPECT_FALSE(tree.child(0));
}

TEST(Tree, PointersAndVariantsAreReadThrough) {
  Batch batch;
  TreeRef tree = batch;
  EXPECT_EQ(tree.child("best").shape(), Shape::none);
  batch.best = Box{};
  EXPECT_EQ(tree.child("best").child("label").as<std::string>(), "cat");
  EXPECT_EQ(tree.child("shared").child("score").as<float>(), 0.5f);
  EXPECT_EQ(tree.child("either").as<std::string>(), "text");
  batch.either = 3;
  EXPECT_EQ(tree.child("either").as<int>(), 3);
}

TEST(Tree, ArraysByOneSpecialisation) {
  Dict unused;
  Batch batch;
  auto shape = [&](const char* path) { return get_by_path(batch, path).as<NdArray>().shape; };
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(shape("image[0,1,2]"), (Shape{8}));
  EXPECT_EQ(shape("image[None, ..., 1:, ::2]"), (Shape{1, 2, 3, 4, 4}));
  EXPECT_EQ(shape("image[0,0].T"), (Shape{8, 5}));
  EXPECT_EQ(shape("image[-1][::-1]"), (Shape{3, 5, 8}));
  EXPECT_EQ(get_by_path(batch, "image.shape").value(), Value(Tuple{2, 3, 5, 8}));
  EXPECT_EQ(get_by_path<int>(batch, "image.shape[1]"), 3);
  expect_error(ErrorKind::key, {"image[9]: the ndarray has no 9"},
               [&] { get_by_path(batch, "image[9]"); });
}

TEST(Tree, DynamicValues) {
  Value tree =
      Dict{{"a", List{1, Tuple{"x", 2.5}}}, {3, nullptr}, {"cfg", ConfigDict{{"b", true}}}};
  EXPECT_EQ(get_by_path<int>(tree, "a[0]"), 1);
  EXPECT_EQ(get_by_path<std::string>(tree, "a[1][0]"), "x");
  EXPECT_EQ(get_by_path(tree, "[3]").shape(), Shape::none);
  EXPECT_TRUE(get_by_path<bool>(tree, "cfg.b"));
  EXPECT_EQ(get_by_path<std::string>(tree, "a[1][0][0]"), "x");
  EXPECT_EQ(get_by_path(Value("añb"), "[1]").value(), Value("ñ"));
  EXPECT_EQ(get_by_path(Value("añb"), "[::-1]").value(), Value("bña"));
}

TEST(Tree, Configs) {
  ConfigDict cfg = konfig::call("m:f", {7}, {{"x", 2}, {"x.y", 3}, {"sub", Dict{{"k", 1}}}});
  cfg["twice"] = cfg.ref("x") * 2;
  cfg["other"] = cfg.ref("sub");
  EXPECT_EQ(get_by_path<int>(cfg, "[0]"), 7);
  EXPECT_EQ(get_by_path<int>(cfg, "[-1]"), 7);
  EXPECT_EQ(get_by_path<int>(cfg, "['0']"), 7);
  EXPECT_FALSE(find_by_path(cfg, "[1]"));
  EXPECT_EQ(get_by_path<int>(cfg, "x.y"), 3);  // a key of that name comes first
  EXPECT_EQ(get_by_path<int>(cfg, "twice"), 4);
  // Through a reference, the node itself is reached.
  set_by_path(cfg, "other.k", 5);
  EXPECT_EQ(get_by_path<int>(cfg, "sub.k"), 5);
  // A part of a config keeps the targets of its references alive.
  Value sub;
  {
    ConfigDict outer = {{"seed", 1}, {"inner", Dict{{"a", 0}}}};
    outer["inner"]["follows"] = outer.ref("seed") + 1;
    sub = get_by_path(outer, "inner").value();
  }
  EXPECT_EQ(get_by_path<int>(sub, "follows"), 2);
}

TEST(Tree, ComponentsByTheirTables) {
  toys::Model model{.encoder = toys::Dense{.rate = 0.5}};
  EXPECT_EQ(get_by_path<int>(model, "encoder.features"), 8);
  EXPECT_EQ(get_by_path<double>(model, "encoder.rate"), 0.5);
  EXPECT_EQ(get_by_path<int>(model, "encoder.sizes[-1]"), 3);
  EXPECT_EQ(get_by_path(model, "encoder.sizes[1:]").value(), Value(List{2, 3}));
  EXPECT_EQ(get_by_path<std::string>(model, "encoder.notes.a"), "x");
  EXPECT_EQ(get_by_path<int>(model, "width"), 4);
  EXPECT_EQ(get_by_path(model, "encoder").as<toys::Dense>().features, 8);
  set_by_path(model, "encoder.features", 16);
  set_by_path(model, "encoder.sizes[0]", 9);
  set_by_path(model, "encoder.notes.b", "y");
  auto& dense = model.encoder.as<toys::Dense>();
  EXPECT_EQ(dense.features, 16);
  EXPECT_EQ(dense.sizes[0], 9);
  EXPECT_EQ(dense.notes.at("b"), "y");
  expect_error(ErrorKind::key, {"encoder.featurs", "did you mean 'features'?", "sizes"},
               [&] { get_by_path(model, "encoder.featurs"); });
  expect_error(ErrorKind::type, {"encoder.features: expected a whole number"},
               [&] { set_by_path(model, "encoder.features", "many"); });
}

TEST(Tree, ResolvedObjectsAreReadOnly) {
  auto dense = std::make_shared<const toys::Dense>();
  Value tree = Dict{{"layer", konfig::Object{&konfig::type_of<toys::Dense>(), dense}}};
  EXPECT_EQ(get_by_path<int>(tree, "layer.features"), 8);
  expect_error(ErrorKind::unsupported, {"layer.features", "read-only"},
               [&] { set_by_path(tree, "layer.features", 1); });
}

TEST(Tree, Conversions) {
  Batch batch;
  EXPECT_EQ(get_by_path<double>(batch, "boxes[0].score"), 0.5);
  EXPECT_EQ(get_by_path<std::vector<double>>(Value(List{1, 2.5}), ""), (std::vector{1.0, 2.5}));
  auto box = get_by_path<Box>(Value(Dict{{"score", 2}}), "");
  EXPECT_EQ(box.score, 2);
  EXPECT_EQ(box.label, "cat");
  auto map = get_by_path<std::map<std::string, int>>(Value(Dict{{"a", 1}}), "");
  EXPECT_EQ(map.at("a"), 1);
  EXPECT_EQ((get_by_path<std::array<int, 2>>(Value(Tuple{1, 2}), "")), (std::array{1, 2}));
  EXPECT_THROW((get_by_path<std::array<int, 2>>(Value(Tuple{1}), "")), konfig::Error);
  EXPECT_THROW(get_by_path<int>(batch, "boxes[0].score"), konfig::Error);
  EXPECT_THROW(get_by_path(batch, "ids").as<int>(), konfig::Error);
  EXPECT_THROW(get_by_path(batch, "image").value(), konfig::Error);
}

TEST(Tree, TemporariesAreKept) {
  TreeRef part = get_by_path(Batch{}, "boxes[0:1][0].label");
  EXPECT_EQ(part.as<std::string>(), "cat");
  TreeRef number = get_by_path(Value(List{Value(List{5})}), "[0][0]");
  EXPECT_EQ(number.as<std::int64_t>(), 5);
}

}  // namespace
}  // namespace kontext
