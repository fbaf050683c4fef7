// Transforms: keys, errors, and that a batch gets what each of its records would get. The numbers
// are those of golden.data.
#include "kd/data/engine/transform.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/data/engine/batch.h"
#include "kd/data/transforms/transforms_contrib.h"
#include "kd/data/transforms/transforms_tf.h"
#include "konfig/error.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

namespace kd::data {

// One's own: a struct with a call.
struct Invert {
  Required<ElementKey> key;
  Tensor map_element(const Tensor& element) const { return 255 - element; }
};
struct Bright {
  double least = 100;
  bool filter(const Tree& record) const {
    return record["image"].tensor().to(at::kFloat).mean().item().toDouble() >= least;
  }
};

}  // namespace kd::data

KD_COMPONENT(kd::Transform, kd::data::Invert, "my.project:Invert");
KD_COMPONENT(kd::Transform, kd::data::Bright, "my.project:Bright");

namespace kd::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tensor image(std::int64_t h = 4, std::int64_t w = 6, std::int64_t c = 2) {
  return at::arange(h * w * c, at::kFloat).reshape({h, w, c}).to(at::kByte);
}
Tree record() { return Tree::dict({{"image", image()}, {"label", at::full({}, 3, at::kLong)}}); }

using konfig::error_of;

TEST(Transform, OnesOwnIsAStructWithACall) {
  const Step invert = bind(Invert{.key = "image"});
  EXPECT_TRUE(at::equal(invert.map(record())["image"].tensor(), 255 - image()));
  const Step bright = bind(Bright{.least = 20});
  EXPECT_TRUE(bright.filter(record()));
  EXPECT_FALSE(bind(Bright{}).filter(record()));
}

TEST(Transform, ComesFromAConfig) {
  auto cfg = konfig::config_from_json(
      R"({"__qualname__": "my.project:Invert", "key": {"image": "negative"}})");
  const Step step = bind(konfig::load<Poly<Transform>>(konfig::resolve(konfig::Value(cfg))));
  const Tree out = step.map(record());
  EXPECT_TRUE(at::equal(out["negative"].tensor(), 255 - image()));
  EXPECT_TRUE(at::equal(out["image"].tensor(), image()));
}

TEST(Transform, BothBackendsKnowTheSharedOnes) {
  for (const char* module : {"data.", "data.py.", "data.tf."}) {
    auto cfg = konfig::config_from_json(R"({"__qualname__": "kauldron.kd:)" + std::string(module) +
                                        R"(Elements", "keep": ["image"]})");
    const Step step = bind(konfig::load<Poly<Transform>>(konfig::resolve(konfig::Value(cfg))));
    EXPECT_EQ(step.map(record()).size(), 1u);
  }
}

TEST(ElementKey, HasThreeForms) {
  const Step list = bind(Cast{.key = {{"image", "missing"}}, .dtype = DType::float32});
  EXPECT_EQ(list.map(record())["image"].tensor().scalar_type(), at::kFloat);
  const Step map =
      bind(Cast{.key = ElementKey(Map<std::string>{{"image", "f"}}), .dtype = DType::float32});
  EXPECT_EQ(map.map(record())["image"].tensor().scalar_type(), at::kByte);
  EXPECT_EQ(map.map(record())["f"].tensor().scalar_type(), at::kFloat);
}

TEST(ElementKey, ErrorsNameTheNearest) {
  const Step step = bind(Cast{.key = "imege", .dtype = DType::float32});
  EXPECT_EQ(error_of([&] { step.map(record()); }),
            "no element is named 'imege'; did you mean 'image'?");
  const Step text = bind(Cast{.key = "t", .dtype = DType::float32});
  EXPECT_EQ(error_of([&] {
              text.map(Tree::dict({{"t", Tree(Tree::Texts{"a"})}}));
            }),
            "t: expected a tensor, found texts");
}

TEST(Elements, ErrorsSayWhichFieldIsWrong) {
  EXPECT_THAT(error_of([] {
                bind(Elements{.keep = {"a"}, .rename = {{"a", "b"}}});
              }),
              HasSubstr("both in keep and in rename: 'a'"));
  const Step step = bind(Elements{.keep = {"imag"}});
  EXPECT_EQ(error_of([&] { step.map(record()); }),
            "keep: there is no element 'imag'; did you mean 'image'?");
}

TEST(CenterCrop, MustFit) {
  const Step step =
      bind(CenterCrop{.key = "image", .shape = std::vector<std::optional<int>>{9, 2, {}}});
  EXPECT_THAT(error_of([&] { step.map(record()); }), HasSubstr("image: shape: a part of 9"));
}

TEST(Gather, CountsFromTheEndToo) {
  const Step step =
      bind(Gather{.key = "image", .axis = 1, .indices = std::vector<std::int64_t>{-1, 0}});
  const Tensor out = step.map(record())["image"].tensor();
  EXPECT_TRUE(at::equal(out.select(1, 0), image().select(1, 5)));
  const Step wrong =
      bind(Gather{.key = "image", .axis = 1, .indices = std::vector<std::int64_t>{6}});
  EXPECT_THROW(wrong.map(record()), konfig::Error);
}

TEST(RandomCrop, ElementsAreCutAtOnePlace) {
  const Step step =
      bind(py::RandomCrop{.key = {{"a", "b"}}, .shape = std::vector<std::optional<int>>{2, 3, {}}});
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Tree out = step.random_map(Tree::dict({{"a", image()}, {"b", image()}}),
                                     Generator({1, 0}, {0, 0, 0, i}));
    EXPECT_TRUE(at::equal(out["a"].tensor(), out["b"].tensor()));
    EXPECT_EQ(out["a"].tensor().sizes(), (at::IntArrayRef{2, 3, 2}));
  }
  EXPECT_THROW(step.random_map(Tree::dict({{"a", image()}, {"b", image(5)}}), Generator()),
               konfig::Error);
  EXPECT_THROW(
      bind(py::RandomCrop{.key = "a", .shape = std::vector<std::optional<int>>{-1, 3, {}}}),
      konfig::Error);
}

TEST(OneHot, WantsWholeNumbers) {
  const Step step = bind(tf::OneHot{.key = "label", .num_classes = 5});
  EXPECT_EQ(step.map(record())["label"].tensor().argmax().item().toLong(), 3);
  EXPECT_THROW(step.map(Tree::dict({{"label", at::zeros({1})}})), konfig::Error);
}

TEST(Reshape, KeepsTheNumbers) {
  const Tensor x = at::arange(24, at::kLong).reshape({4, 6});
  EXPECT_EQ((Reshape{.key = "x", .shape = {{2, -1, 3}}}).map_element(x).sizes(),
            (at::IntArrayRef{2, 4, 3}));
  EXPECT_EQ((Reshape{.key = "x", .shape = {{3, 2}}}).map_batch_element(x).sizes(),
            (at::IntArrayRef{4, 3, 2}));
  try {
    Reshape{.key = "x", .shape = {{5, -1}}}.map_element(x);
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_STREQ(e.what(), "shape: (4, 6) cannot become (5, -1)");
  }
}

TEST(Contrib, ValuesAreScaledAndShifted) {
  const Tensor x = at::arange(6, at::kFloat).reshape({2, 3});
  EXPECT_TRUE((contrib::AddBias{.key = "x", .bias = 1}).map_element(x).equal(x + 1));
  EXPECT_TRUE((contrib::Scale{.key = "x", .factor = 2}).map_element(x).equal(x * 2));
  EXPECT_TRUE(contrib::OneMinus{.key = "x"}.map_element(x).equal(1 - x));
  EXPECT_EQ((contrib::Binarize{.key = "x", .threshold = 3}).map_element(x).sum().item().toLong(),
            2);
  const contrib::Normalize normalize{.key = "x",
                                     .in_vrange = {0, 2},
                                     .normalize_mean = {0.5, 0.5, 0.5},
                                     .normalize_std = {1, 2, 4}};
  const Tensor y = normalize.map_element(x);
  EXPECT_EQ(y[1][0].item().toDouble(), 1);
  EXPECT_EQ(y[1][2].item().toDouble(), 0.5);
  EXPECT_THROW(normalize.map_element(at::arange(4, at::kFloat)), konfig::Error);
}

TEST(RandAugment, DependsOnItsGeneratorOnly) {
  const Tensor image =
      at::arange(40 * 30 * 3, at::kLong).remainder(251).to(at::kByte).reshape({40, 30, 3});
  const Tree record = Tree::dict({{"image", image}});
  const contrib::RandAugment augment{.image_key = "image", .num_layers = 3, .magnitude = 7};
  auto augmented = [&](const contrib::RandAugment& by, std::uint64_t seed) {
    return by.random_map(record, Generator({seed, 0}))["image"].tensor();
  };
  const Tensor before = image.clone();
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Tensor out = augmented(augment, seed);
    EXPECT_EQ(out.sizes(), image.sizes());
    EXPECT_EQ(out.scalar_type(), at::kByte);
    EXPECT_TRUE(out.equal(augmented(augment, seed)));
    changed += !out.equal(image);
  }
  EXPECT_GT(changed, 45);
  EXPECT_TRUE(image.equal(before));  // never in place
  contrib::RandAugment never = augment;
  never.prob_to_apply = 0;
  EXPECT_TRUE(augmented(never, 1).equal(image));
  contrib::RandAugment only_invert = augment;
  only_invert.num_layers = 1;
  using enum contrib::AugmentOp;
  only_invert.exclude_ops = {{AutoContrast, Equalize, Rotate, Posterize, Solarize, Color, Contrast,
                              Brightness, Sharpness, ShearX, ShearY, TranslateX, TranslateY, Cutout,
                              SolarizeAdd}};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Tensor out = augmented(only_invert, seed);
    EXPECT_TRUE(out.equal(image) || out.equal(255 - image));
  }
  // Posterize keeps 4 bits at 10, as many as there are beyond 20.
  contrib::RandAugment strong = only_invert;
  strong.magnitude = 30;
  (*strong.exclude_ops)[3] = Invert;
  bind(Poly<Transform>(strong));
  for (std::uint64_t seed = 0; seed < 10; ++seed) EXPECT_TRUE(augmented(strong, seed).equal(image));
  const auto wrong = konfig::call("kauldron.contrib.data:RandAugment",
                                  {{"image_key", "x"}, {"exclude_ops", konfig::List{"Rotat"}}});
  EXPECT_THAT(error_of([&] { konfig::resolve(konfig::Value(wrong)); }),
              AllOf(HasSubstr("exclude_ops[0]"), HasSubstr("did you mean 'Rotate'?")));
}

TEST(Resize, NeedsOneSize) {
  EXPECT_THAT(error_of([] { bind(Resize{.key = "image"}); }),
              HasSubstr("exactly one of size, min_size and max_size"));
  const Step step =
      bind(Resize{.key = "image", .size = std::pair(3, 3), .method = ResizeMethod::area});
  EXPECT_THAT(error_of([&] { step.map(record()); }),
              HasSubstr("jax.image.resize does not know 'area'; there are nearest"));
  const auto cfg = konfig::call("kauldron.kd:data.Resize", {{"key", "x"}, {"method", "bicubi"}});
  EXPECT_THAT(error_of([&] { konfig::resolve(konfig::Value(cfg)); }),
              AllOf(HasSubstr("cfg.method: expected one of nearest, bilinear, bicubic"),
                    HasSubstr("did you mean 'bicubic'?")));
}

// What makes pipelines quick must not change what they give.
TEST(Transform, ABatchGetsWhatItsRecordsGet) {
  const std::vector<Poly<Transform>> all = {
      Elements{.keep = {"image"}, .rename = {{"label", "l"}}},
      Cast{.key = "image", .dtype = DType::int32},
      ValueRange{.key = "image", .vrange = {{-1, 1}}},
      ValueRange{.key = "image", .vrange = {{0, 1}}, .dtype = DType::float16},
      Rearrange{.key = "image", .pattern = "(h p) w c -> h w (p c)", .axes_lengths = {{"p", 2}}},
      Rearrange{.key = "label", .pattern = "-> 1"},
      Rearrange{.key = "image", .pattern = "h ... -> ... h"},
      Gather{.key = "image", .axis = -1, .indices = std::vector<std::int64_t>{1}},
      Resize{.key = "image", .size = std::pair(3, 5)},
      Resize{.key = "image", .min_size = 3, .method = ResizeMethod::bicubic},
      CenterCrop{.key = "image", .shape = std::vector<std::optional<int>>{2, {}, 1}},
      tf::Resize{.key = "image", .height = 2, .width = 9, .method = ResizeMethod::area},
      tf::ResizeSmall{.key = "image", .smaller_size = 3}};
  for (const auto& transform : all) {
    const Step step = bind(transform);
    ASSERT_TRUE(step.map_batch) << step.name;
    std::vector<Tree> records, mapped;
    for (int i = 0; i < 3; ++i) {
      Tree each = record();
      each["image"] = each["image"].tensor() + i;
      records.push_back(each);
      mapped.push_back(step.map(each));
    }
    const Tree batch = step.map_batch(stack(records)), wanted = stack(mapped);
    ASSERT_EQ(batch.size(), wanted.size()) << step.name;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(batch.name(i), wanted.name(i));
      EXPECT_TRUE(at::equal(batch.child(i).tensor(), wanted.child(i).tensor())) << step.name;
    }
  }
}

}  // namespace
}  // namespace kd::data
