// The examples of docs/kontext.md, so that they stay true.
#include <gtest/gtest.h>

#include <sstream>

#include "konfig/expect_test.h"
#include "konfig/reference.h"
#include "kontext/kontext.h"
#include "kontext/toys_test.h"

namespace guide {

using namespace kontext;
using Tensor = NdArray;

struct Box {
  float score = 0;
  std::string label = "";
};
struct Batch {
  Tensor image = Tensor::zeros({2, 28, 28, 1});
  std::vector<Box> boxes = {{.score = 0.5f, .label = "cat"}};
  std::map<std::string, int> ids = {};
};
struct Context {
  int step = 0;
  Batch batch = {};
};

struct L2 {
  Key preds = Key::required();
  Key targets = Key::required();
  std::optional<Key> mask = {};
  float loss(const Tensor& a, const Tensor& b, std::optional<Tensor> weights) const {
    return static_cast<float>(a.data.size() + b.data.size() + (weights ? 1 : 0));
  }
};

using konfig::error_of;

TEST(Guide, Reading) {
  Context context;
  EXPECT_EQ(get_by_path<float>(context, "batch.boxes[0].score"), 0.5f);
  EXPECT_EQ(get_by_path(context, "batch.image[..., 0]").as<Tensor>().shape,
            (std::vector<std::int64_t>{2, 28, 28}));
  EXPECT_EQ(get_by_path<int>(context, "batch.ids['x y']", -1), -1);
  static const Path kImage = "batch.image"_path;
  TreeRef image = find_by_path(context, kImage);
  EXPECT_TRUE(image);
  EXPECT_EQ(
      error_of([&] { get_by_path(context, "batch.boxs[0].score"); }),
      "batch.boxs: the guide::Batch has no field 'boxs'; did you mean 'boxes'? (there are: image, "
      "boxes, ids); looking for 'batch.boxs[0].score'");
  EXPECT_EQ(error_of([&] { get_by_path(context, "batch.boxes[3]"); }),
            "batch.boxes[3]: the std::vector<guide::Box> has 1 item(s), there is none at 3");
  EXPECT_EQ(
      error_of([] { Path::parse("batch.image[...,x]"); }),
      "[path] could not parse 'batch.image[...,x]': expected a number, a slice, '...' or None "
      "after ','\n  batch.image[...,x]\n                  ^" +
          std::string());
}

TEST(Guide, Writing) {
  konfig::ConfigDict cfg = {
      {"train_ds", konfig::Dict{{"batch_size", 256}}},
      {"evals", konfig::Dict{{"a", konfig::Dict{{"ds", konfig::Dict{{"batch_size", 64}}}}}}}};
  std::ostringstream out;
  for (const Path& path : set_by_path(cfg, "**.batch_size", 8)) out << path << "\n";
  EXPECT_EQ(out.str(), "train_ds.batch_size\nevals.a.ds.batch_size\n");
  Context context;
  set_by_path(context, "batch.boxes.*.score", 1);
  EXPECT_EQ(context.batch.boxes[0].score, 1);
  set_by_path(context, "batch.ids.new", 3);
  EXPECT_EQ(context.batch.ids.at("new"), 3);
}

TEST(Guide, WholeTrees) {
  std::map<std::string, std::map<std::string, float>> params = {
      {"head", {{"kernel", 1}, {"bias", 2}}}, {"encoder", {{"kernel", 3}}}};
  std::ostringstream out;
  for (auto& [path, leaf] : flatten_with_path(params))
    out << path << " " << leaf.as<float>() << "\n";
  EXPECT_EQ(out.str(), "encoder.kernel 3\nhead.bias 2\nhead.kernel 1\n");
  auto biases = filter_by_path(params, "**.bias");
  EXPECT_EQ(biases.size(), 1u);
  EXPECT_EQ(unflatten({{"a.b"_path, 1}, {"a.c[0]"_path, 2}}),
            konfig::Value(konfig::Dict{{"a", konfig::Dict{{"b", 1}, {"c", konfig::List{2}}}}}));
}

TEST(Guide, Keys) {
  Context context;
  L2 loss{.preds = "batch.image", .targets = "batch.image[0]"};
  EXPECT_EQ(konfig::Value(get_keypaths(loss)),
            konfig::Value(konfig::Dict{
                {"preds", "batch.image"}, {"targets", "batch.image[0]"}, {"mask", nullptr}}));
  ResolvedKeys keys = resolve_from_keyed_obj(context, loss);
  EXPECT_EQ(keys["targets"].as<Tensor>().shape, (std::vector<std::int64_t>{28, 28, 1}));
  EXPECT_EQ(call_with_keys(context, loss, &L2::loss), 2 * 784 + 784);
  loss.targets = "batch.imagee";
  EXPECT_EQ(
      error_of([&] { resolve_from_keyed_obj(context, loss); }),
      "guide::L2: invalid key\n"
      "  targets = 'batch.imagee': batch.imagee: the guide::Batch has no field 'imagee'; did you "
      "mean 'image'? (there are: image, boxes, ids)\n"
      "    did you mean one of: 'batch.boxes[0].label', 'batch.boxes[0].score', 'batch.image'");
  loss.targets = Key::required();
  EXPECT_EQ(error_of([&] { resolve_from_keyed_obj(context, loss); }),
            "guide::L2: required keys are not set: 'targets'; set them where the object is made");
}

TEST(Guide, TypedPaths) {
  auto batch = path_builder_from<Batch>("batch");
  EXPECT_EQ(batch[&Batch::boxes][0][&Box::score].str(), "batch.boxes[0].score");
  EXPECT_EQ(batch[&Batch::ids]["x y"].str(), "batch.ids['x y']");
  L2 loss{.preds = "preds.image", .targets = batch[&Batch::image]};
  EXPECT_EQ(loss.targets.str(), "batch.image");
}

}  // namespace guide
