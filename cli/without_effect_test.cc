// The remark on settings that change nothing here.
#include "cli/without_effect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/konfig.h"

namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string note_on(const konfig::ConfigDict& cfg) {
  testing::internal::CaptureStderr();
  note_without_effect(cfg);
  return testing::internal::GetCapturedStderr();
}

konfig::ConfigDict config() {
  return konfig::call("kauldron.kd:train.Trainer",
                      {{"writer", konfig::call("kauldron.kd:train.KDMetricWriter")}});
}

TEST(WithoutEffect, NamesWhatXManagerAloneWouldGet) {
  konfig::ConfigDict cfg = config();
  EXPECT_EQ(note_on(cfg), "");
  cfg["writer"]["add_artifacts"] = false;
  EXPECT_THAT(note_on(cfg), HasSubstr("cfg.writer.add_artifacts (there is no XManager)"));
  cfg["setup"] = konfig::call(
      "kauldron.kd:train.Setup",
      {{"tqdm_info", konfig::call("kauldron.kd:train.TqdmInfo", {{"log_xm", false}})}});
  cfg["evals"] = konfig::ConfigDict();
  cfg["evals"]["far"] = konfig::call(
      "kauldron.kd:contrib.evals.CheckpointedEvaluator",
      {{"run", konfig::call("kauldron.kd:evals.EveryNSteps", {{"n", 5}})}, {"log_tqdm_xm", true}});
  EXPECT_THAT(note_on(cfg), AllOf(HasSubstr("without effect here: "),
                                  HasSubstr("cfg.writer.add_artifacts (there is no XManager)"),
                                  HasSubstr("cfg.setup.tqdm_info.log_xm (there is no XManager)"),
                                  HasSubstr("cfg.evals.far.log_tqdm_xm (there is no XManager)")));
}

// Settings of JAX's compiler and accelerators, deep in a model or a loss.
TEST(WithoutEffect, NamesWhatOnlyJaxCouldUse) {
  konfig::ConfigDict cfg = config();
  cfg["model"] = konfig::call(
      "kauldron.kd:nn.Sequential",
      {{"layers",
        konfig::List{konfig::call("flax.linen:Dense", {{"features", 3}, {"precision", "high"}}),
                     konfig::call("flax.linen:RNN", {{"unroll", 4}})}}});
  cfg["train_losses"] = konfig::ConfigDict();
  cfg["train_losses"]["iou"] =
      konfig::call("kauldron.kd:contrib.losses.IoULoss", {{"loss_on_multimask", true}});
  cfg["train_summaries"] = konfig::ConfigDict();
  cfg["train_summaries"]["s"] =
      konfig::call("kauldron.kd:summaries.ShowSegmentations", {{"image_contrast", 0.1}});
  EXPECT_THAT(note_on(cfg), AllOf(HasSubstr("cfg.model.layers[0].precision (always full)"),
                                  HasSubstr("cfg.model.layers[1].unroll (steps are not compiled)"),
                                  HasSubstr("cfg.train_losses.iou.loss_on_multimask (nor has it"),
                                  HasSubstr("cfg.train_summaries.s.image_contrast (no image")));
}

// Kauldron's example sets the epochs of each dataset that it mixes; only the mixture's count.
TEST(WithoutEffect, NamesWhatOnlyAMixtureHas) {
  auto named = [](const char* name, const konfig::Dict& more) {
    konfig::ConfigDict tfds =
        konfig::call(name, {{"name", "mnist"}, {"split", "train"}, {"num_epochs", 1}});
    for (auto& [key, value] : more) tfds.set(key, value);
    return tfds;
  };
  konfig::ConfigDict cfg = config();
  cfg["train_ds"] = konfig::call(
      "kauldron.kd:data.py.Mix",
      {{"datasets", konfig::List{named("kauldron.kd:data.py.Tfds", {{"shuffle", true}}),
                                 named("kauldron.kd:data.py.Tfds", {{"batch_size", 4}})}},
       {"num_epochs", 2},
       {"batch_size", 8}});
  EXPECT_THAT(note_on(cfg),
              AllOf(HasSubstr("cfg.train_ds.datasets[0].num_epochs (that of the mixture counts)"),
                    HasSubstr("cfg.train_ds.datasets[1].batch_size"), Not(HasSubstr("shuffle")),
                    Not(HasSubstr("cfg.train_ds.num_epochs"))));
  // Those of kd.data.tf keep their epochs.
  cfg["train_ds"] = konfig::call(
      "kauldron.kd:data.tf.ZipDatasets",
      {{"datasets",
        konfig::ConfigDict{{"a", named("kauldron.kd:data.tf.Tfds", {{"prefetch_size", 3}})}}}});
  EXPECT_THAT(note_on(cfg),
              AllOf(HasSubstr("cfg.train_ds.datasets.a.prefetch_size (that of the mixture counts)"),
                    Not(HasSubstr("num_epochs"))));
}

TEST(WithoutEffect, NamesWhatAPolicyDecides) {
  konfig::ConfigDict cfg = config();
  cfg["checkpointer"] = konfig::call("kauldron.kd:ckpts.Checkpointer",
                                     {{"save_interval_steps", 5}, {"max_to_keep", 7}});
  EXPECT_EQ(note_on(cfg), "");
  cfg["checkpointer"]["preservation_policy"] =
      konfig::call("kauldron.kd:ckpts.LatestN", {{"n", 2}});
  EXPECT_THAT(note_on(cfg),
              HasSubstr("cfg.checkpointer.max_to_keep (preservation_policy decides)"));
}

TEST(WithoutEffect, NamesHowArraysWouldBeSpread) {
  konfig::ConfigDict cfg = config();
  cfg["sharding"] = konfig::call("kauldron.kd:sharding.ShardingStrategy",
                                 {{"params", konfig::call("kauldron.kd:sharding.FSDPSharding",
                                                          {{"min_size_to_shard_mb", 1}})}});
  EXPECT_THAT(note_on(cfg), AllOf(HasSubstr("cfg.sharding.params (there is one device)"),
                                  Not(HasSubstr("batch")), Not(HasSubstr("min_size"))));
}

// All writers take it.
TEST(WithoutEffect, OfEveryWriter) {
  for (const char* name :
       {"kauldron.kd:train.KDMetricWriter", "kauldron.kd:contrib.train.NpzWriter",
        "kauldron.kd:contrib.train.GifVideoWriter",
        "kauldron.kd:contrib.train.MLFlowMetricWriter"}) {
    konfig::ConfigDict cfg = config();
    cfg["writer"] = konfig::call(name, {{"add_artifacts", false}});
    EXPECT_THAT(note_on(cfg), HasSubstr("cfg.writer.add_artifacts")) << name;
  }
}

// A value that is what it would be anyway asks for nothing.
TEST(WithoutEffect, DefaultsAreNotNamed) {
  konfig::ConfigDict cfg = config();
  cfg["writer"]["add_artifacts"] = true;
  EXPECT_EQ(note_on(cfg), "");
}

}  // namespace
}  // namespace cli
