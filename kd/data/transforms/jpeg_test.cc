// JPEG: parts of pictures are those of whole ones, damage is an error.
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/data/order/generator.h"
#include "kd/data/sources/jpeg_test.h"
#include "kd/data/sources/sources.h"
#include "kd/data/transforms/transforms_tf.h"
#include "kd/io/image.h"
#include "konfig/error.h"

namespace kd::data {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Jpeg, PartsHaveThePixelsOfTheWhole) {
  Generator rng({1, 0});
  for (const Look& look : {Look{}, Look{.sampling = 1}, Look{.progressive = true},
                           Look{.height = 33, .width = 300}, Look{.channels = 1, .sampling = 1}}) {
    const std::string jpeg = encode_jpeg(look);
    const Tensor whole = decode_jpeg(jpeg, 0, "p");
    ASSERT_EQ(whole.sizes(), (at::IntArrayRef{look.height, look.width, look.channels}));
    for (int k = 0; k < 60; ++k) {
      const auto box_of = [&](std::int64_t height, std::int64_t width) {
        const auto below = [&](std::int64_t n) {
          return static_cast<std::int64_t>(rng.integers(static_cast<std::uint64_t>(n)));
        };
        const std::int64_t h = 1 + below(height), w = 1 + below(width);
        return ImageBox{below(height - h + 1), below(width - w + 1), h, w};
      };
      const ImageBox box = box_of(look.height, look.width);
      const Tensor part =
          decode_image_part(jpeg, 0, "p", [&](std::int64_t, std::int64_t) { return box; });
      const Tensor wanted =
          whole.narrow(0, box.top, box.height).narrow(1, box.left, box.width).contiguous();
      ASSERT_TRUE(part.equal(wanted))
          << "at " << box.top << ", " << box.left << ": " << box.height << " x " << box.width;
    }
  }
}

// What a crop reads from a file is what it cuts out of a decoded picture.
TEST(Jpeg, CropsInPipelinesReadOnlyTheirPart) {
  const base::TempFolder folder("kd_jpeg_");
  fs::create_directories(folder / "a");
  std::ofstream(folder / "a" / "1.jpg", std::ios::binary) << encode_jpeg({});
  const RecordsPtr files = ImageFolder{.path = folder.path().string()}.open();
  const Tree record = files->read(0);
  const RecordsPtr decoded =
      in_memory(Tree::dict({{"image", record["image"].tensor().unsqueeze(0)},
                            {"label", record["label"].tensor().unsqueeze(0)}}));
  for (const auto& size :
       {std::optional(std::pair(32, 24)), std::optional<std::pair<int, int>>()}) {
    auto crops = [&](const RecordsPtr& records, bool between) {
      StreamPtr s = seeded(stream(records), 3);
      s = with_step(s, bind(Poly<Transform>(Elements{.keep = {"image", "label"}})));
      // Any other step: whole pictures are decoded.
      if (between) s = with_step(s, {.name = "Same", .map = [](Tree r) { return r; }});
      return with_step(
          s, bind(Poly<Transform>(tf::InceptionCrop{.key = "image", .resize_size = size})));
    };
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_TRUE(crops(files, false)
                      ->at(i)
                      ->at("image")
                      .tensor()
                      .equal(crops(decoded, false)->at(i)->at("image").tensor()));
      EXPECT_TRUE(crops(files, true)
                      ->at(i)
                      ->at("image")
                      .tensor()
                      .equal(crops(decoded, true)->at(i)->at("image").tensor()));
    }
  }
}

TEST(Jpeg, DamageIsAnError) {
  const std::string jpeg = encode_jpeg({});
  auto error = [](const std::string& bytes) -> std::string {
    try {
      decode_image(bytes, 3, "p.jpg");
    } catch (const konfig::Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error(jpeg.substr(0, jpeg.size() / 2)), StartsWith("p.jpg: byte "));
  EXPECT_THAT(error(jpeg.substr(0, 30)), StartsWith("p.jpg: byte "));
  EXPECT_THAT(error("\xff\xd8\xff"), HasSubstr("JPEG: "));
  std::string huge = jpeg;  // height and width in the frame's header
  const auto frame = huge.find("\xff\xc0");
  ASSERT_NE(frame, huge.npos);
  for (std::size_t i = 5; i < 9; ++i) huge[frame + i] = '\x7f';
  EXPECT_THAT(error(huge), HasSubstr("more than it can hold"));
}

}  // namespace
}  // namespace kd::data
