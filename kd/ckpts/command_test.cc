// What `kd ckpt` does, and parameters of PyTorch and Flax.
#include "kd/ckpts/command.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msgpack.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "kd/ckpts/engine/convert.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "test_paths.h"

namespace kd::ckpts {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using ::testing::HasSubstr;

class Command : public ::testing::Test {
 protected:
  std::string save(const char* run, double value) const {
    Manager manager(Checkpointer{.save_interval_steps = 1, .max_to_keep = {}}, folder_ / run);
    const Tree params =
        Tree::dict({{"w", Tree(at::full({2, 3}, value))}, {"b", Tree(at::zeros({3}))}});
    for (int step : {0, 7}) {
      manager.save(step, {.state = Tree::dict({{"params", params}}), .items = {{"timer", 0.5}}});
    }
    return (folder_ / run).string();
  }
  base::TempFolder temp_{"kd_command_"};
  fs::path folder_ = temp_.path();
};

TEST_F(Command, Show) {
  const std::string run = save("a", 1.5);
  const std::string text = show_checkpoint({.source = run});
  EXPECT_THAT(text, HasSubstr("STEP  SAVED"));
  EXPECT_THAT(text, HasSubstr("good"));
  EXPECT_THAT(text, HasSubstr("params.w  float32[2 3]  1.5   0    1.5  1.5"));
  EXPECT_THAT(text, HasSubstr("parameters: 9\n"));
  EXPECT_THAT(text, HasSubstr("timer: 0.5\n"));
  const std::string file = step_folder(fs::path(run) / "checkpoints", 7) / "state.safetensors";
  EXPECT_THAT(show_checkpoint({.source = file}), HasSubstr("params.w"));
  EXPECT_THAT(show_checkpoint({.source = fs::path(file).parent_path()}), HasSubstr("timer"));
  std::ofstream(file, std::ios::app) << "x";
  EXPECT_THAT(show_checkpoint({.source = run}), HasSubstr("state.safetensors: damaged"));
  EXPECT_THAT(show_checkpoint({.source = run, .step = 0}), HasSubstr("params.w"));
  EXPECT_THROW(show_checkpoint({.source = run + "none"}), Error);
}

TEST_F(Command, Diff) {
  const std::string a = save("a", 1), b = save("b", 1.5);
  EXPECT_TRUE(diff_checkpoints({.a = a, .b = a, .a_step = 0, .b_step = 7}).equal);
  const Diff diff = diff_checkpoints({.a = a, .b = b});
  EXPECT_FALSE(diff.equal);
  EXPECT_EQ(diff.text,
            "PATH      A             B             LARGEST  MEAN\n"
            "params.w  float32[2 3]  float32[2 3]  0.5      0.5\n"
            "1 of 2 tensors are equal\n");
  EXPECT_TRUE(diff_checkpoints({.a = a, .b = b, .tolerance = 0.6}).equal);
}

// ---- Other programs -----------------------------------------------------------------------------

TEST_F(Command, ImportFromTorch) {
  const Tensor linear = at::arange(6).reshape({2, 3}).to(at::kFloat);  // (out, in)
  const Tensor conv = at::arange(2 * 3 * 4 * 5).reshape({2, 3, 4, 5}).to(at::kFloat);
  const std::string file = folder_ / "model.safetensors";
  io::save_safetensors(file, {{"encoder.layers.0.weight", linear},
                              {"encoder.layers.0.bias", at::zeros({2})},
                              {"conv.weight", conv},
                              {"norm.weight", at::zeros({4})},
                              {"norm.running_mean", at::zeros({4})},
                              {"norm.num_batches_tracked", at::zeros({}, at::kLong)},
                              {"embedding.weight", linear},
                              {"wte.weight", linear}});
  const std::string workdir = folder_ / "run";
  EXPECT_THAT(import_checkpoint({.source = file, .workdir = workdir, .step = 3}),
              HasSubstr("ckpt_3: 6 parameters of 144 numbers"));
  const Tree state = Manager(Checkpointer{.save_interval_steps = 1}, workdir, true).restore().state;
  EXPECT_TRUE(at::equal(state["params"]["encoder"]["layers_0"]["kernel"].tensor(), linear.t()));
  EXPECT_TRUE(at::equal(state["params"]["conv"]["kernel"].tensor(), conv.permute({2, 3, 1, 0})));
  EXPECT_TRUE(state["params"]["norm"].contains("scale"));
  EXPECT_TRUE(at::equal(state["params"]["embedding"]["embedding"].tensor(), linear));
  EXPECT_TRUE(at::equal(state["params"]["wte"]["embedding"].tensor(), linear));
  EXPECT_TRUE(state["collections"]["batch_stats"]["norm"].contains("mean"));
  EXPECT_EQ(state["step"].tensor().item<int>(), 3);

  import_checkpoint({.source = file, .workdir = folder_ / "same", .keep_names = true});
  const Tree same =
      Manager(Checkpointer{.save_interval_steps = 1}, folder_ / "same", true).restore().state;
  EXPECT_TRUE(same["params"]["encoder"]["layers"]["0"].contains("weight"));
  EXPECT_THROW(import_checkpoint({.source = "model.bin", .workdir = workdir}), Error);
}

// Bytes as flax.serialization.to_bytes writes them.
class Packer {
 public:
  Packer() {
    msgpack_sbuffer_init(&buffer_);
    msgpack_packer_init(&packer_, &buffer_, msgpack_sbuffer_write);
  }
  ~Packer() { msgpack_sbuffer_destroy(&buffer_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  Packer& map(std::size_t n) { return msgpack_pack_map(&packer_, n), *this; }
  Packer& list(std::size_t n) { return msgpack_pack_array(&packer_, n), *this; }
  Packer& text(std::string_view s) {
    return msgpack_pack_str_with_body(&packer_, s.data(), s.size()), *this;
  }
  Packer& whole(int i) { return msgpack_pack_int(&packer_, i), *this; }
  Packer& yes() { return msgpack_pack_true(&packer_), *this; }
  Packer& array(const std::vector<int>& shape, const std::vector<float>& values) {
    Packer inner;
    inner.list(3).list(shape.size());
    for (int n : shape) inner.whole(n);
    inner.text("float32");
    msgpack_pack_bin_with_body(&inner.packer_, values.data(), values.size() * sizeof(float));
    const std::string bytes = inner.str();
    return msgpack_pack_ext_with_body(&packer_, bytes.data(), bytes.size(), 1), *this;
  }
  std::string str() const { return {buffer_.data, buffer_.size}; }

 private:
  msgpack_sbuffer buffer_;
  msgpack_packer packer_;
};

TEST_F(Command, ImportFromFlax) {
  Packer packer;
  packer.map(2).text("params").map(2);
  packer.text("dense").map(1).text("kernel").array({2, 2}, {1, 2, 3, 4});
  packer.text("big").map(3).text("__msgpack_chunked_array__").yes();
  packer.text("shape").map(2).text("0").whole(1).text("1").whole(3);
  packer.text("chunks").map(2).text("0").array({2}, {5, 6}).text("1").array({1}, {7});
  packer.text("batch_stats").map(1).text("mean").array({1}, {9});
  const std::string bytes = packer.str();
  const std::string file = folder_ / "model.msgpack";
  std::ofstream(file, std::ios::binary) << bytes;
  import_checkpoint({.source = file, .workdir = folder_ / "run"});
  const Tree state =
      Manager(Checkpointer{.save_interval_steps = 1}, folder_ / "run", true).restore().state;
  EXPECT_TRUE(at::equal(state["params"]["dense"]["kernel"].tensor(),
                        at::arange(1, 5).reshape({2, 2}).to(at::kFloat)));
  EXPECT_TRUE(
      at::equal(state["params"]["big"].tensor(), at::arange(5, 8).reshape({1, 3}).to(at::kFloat)));
  EXPECT_TRUE(state["collections"]["batch_stats"].contains("mean"));
  // Whatever is cut off, it is an error and no crash.
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW(from_flax(std::string_view(bytes).substr(0, n), "m"), Error) << n;
  }
}

// A checkpoint that Kauldron wrote; golden.orbax compares all values.
TEST_F(Command, ImportFromOrbax) {
  const fs::path golden = fs::path(KD_GOLDEN_DEFAULT) / "orbax" / "conv_bf16" / "ckpt_6";
  const std::string workdir = folder_ / "run";
  EXPECT_THAT(import_checkpoint({.source = golden, .workdir = workdir}),
              HasSubstr("ckpt_6: 6 parameters of 123 numbers"));
  const Tree state = Manager(Checkpointer{.save_interval_steps = 1}, workdir, true).restore().state;
  EXPECT_EQ(state["step"].tensor().item<int>(), 6);
  EXPECT_EQ(state["params"]["head"]["kernel"].tensor().scalar_type(), at::kBFloat16);
  EXPECT_TRUE(state["collections"]["batch_stats"]["BatchNorm_0"].contains("mean"));
  EXPECT_TRUE(state["opt_state"].child(0).contains("mu"));
  EXPECT_TRUE(state["opt_state"].child(1).is_none());
  EXPECT_THAT(import_checkpoint({.source = golden / "default", .workdir = workdir, .step = 9}),
              HasSubstr("ckpt_9"));
  // It can be looked at as it is.
  EXPECT_THAT(show_checkpoint({.source = golden}), HasSubstr("opt_state[0].mu.conv.kernel"));
  EXPECT_THAT(diff_checkpoints({.a = golden, .b = workdir, .b_step = 6}).text,
              HasSubstr("22 of 22 tensors are equal"));
}

TEST_F(Command, WhatIsNoCheckpointOfOrbax) {
  auto error_of = [&](const fs::path& source) -> std::string {
    try {
      import_checkpoint({.source = source, .workdir = folder_ / "run"});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of(folder_), HasSubstr("such as checkpoints/ckpt_500"));
  EXPECT_THAT(error_of(folder_ / "none"), HasSubstr("does not exist"));
  const fs::path golden = fs::path(KD_GOLDEN_DEFAULT) / "orbax" / "mlp" / "ckpt_6";
  const fs::path copy = folder_ / "theirs" / "checkpoints" / "ckpt_6";
  fs::create_directories(copy.parent_path());
  fs::copy(golden, copy, fs::copy_options::recursive);
  // As a run of this program, it has no checkpoint, but the error says what to do.
  EXPECT_THAT(
      [&] { Manager(Checkpointer{.save_interval_steps = 1}, folder_ / "theirs", true).restore(); },
      ::testing::ThrowsMessage<Error>(HasSubstr("kd ckpt import " + copy.string() + " WORKDIR")));
  const fs::path metadata = copy / "default" / "_METADATA";
  const std::string text = read_file(metadata);
  auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    for (std::size_t at = 0; (at = changed.find(from, at)) != changed.npos; at += to.size()) {
      changed.replace(at, from.size(), to);
    }
    std::ofstream(metadata) << changed;
    return error_of(copy);
  };
  EXPECT_THAT(with("jax.Array", "string"), HasSubstr("values of type 'string' are not read"));
  EXPECT_THAT(with("\"layers_0\"", "\"layers_9\""),
              HasSubstr("array 'params.layers_9.bias': it is not in the store"));
  EXPECT_THAT(with("\"key\": \"layers_0\"", "\"key\": \"layers_1\""),
              HasSubstr("the paths contradict each other at 'params.layers_1.bias'"));
  EXPECT_THAT(with("{", "["), HasSubstr("default: "));
  EXPECT_EQ(with("step", "step"), "");
}

}  // namespace
}  // namespace kd::ckpts
