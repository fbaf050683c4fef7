// Models for other programs: what was saved computes the same again.
#include "kd/exports/engine/model.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_folder.h"
#include "kd/nn/engine/apply.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/models/autoencoder.h"
#include "kd/random/key.h"

namespace kd {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Export : public ::testing::Test {
 protected:
  base::TempFolder temp_{"kd_export_"};
  fs::path workdir_ = temp_.path();
};

TEST_F(Export, ComputesTheSame) {
  const nn::FlatAutoencoder module{.inputs = "batch.image",
                                   .encoder = nn::Dense{.features = 4},
                                   .decoder = nn::Dense{.features = 36}};
  const Tensor images = at::rand({2, 6, 6, 1});
  const Tree variables = module.init({.rngs = random::Key{}, .is_training_property = true}, images);
  const Model model(module, variables["params"], Tree::dict(),
                    Tree::dict({{"image", Tree(images)}}));
  const fs::path folder = exports::ModelExporter{}.folder(workdir_);
  EXPECT_EQ(folder, workdir_ / "train_model");
  exports::export_model(exports::ModelExporter{}, model, workdir_);
  exports::save_model(folder, model);  // replaces it

  const Model loaded = load_model(folder);
  const Tree batch = Tree::dict({{"image", Tree(images)}});
  const Tensor wanted = model(batch)["image"].tensor();
  EXPECT_EQ(wanted.sizes(), images.sizes());
  EXPECT_TRUE(at::equal(loaded(batch)["image"].tensor(), wanted));
  EXPECT_EQ(loaded.element_spec()["image"].tensor().sizes(), images.sizes());
  for (auto& entry : fs::directory_iterator(workdir_)) EXPECT_EQ(entry.path(), folder);
}

TEST_F(Export, WhatIsNoModelIsNamed) {
  try {
    load_model(workdir_ / "none");
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("none: is no exported model"));
  }
  EXPECT_EQ(exports::ModelExporter{.path = "/x/y"}.folder(workdir_), "/x/y");
}

TEST_F(Export, NothingIsWrittenWithoutAnExporter) {
  const Model model(nn::Dense{.features = 4}, Tree::dict(), Tree::dict(), Tree());
  for (const Poly<ExporterFn>& none : {Poly<ExporterFn>(), {exports::NoopExporter{}}}) {
    exports::export_model(none, model, workdir_);
  }
  EXPECT_TRUE(fs::is_empty(workdir_));
}

}  // namespace
}  // namespace kd
