// Batches a second of three pipelines:
//   build/bench/data prepare FOLDER                     writes pictures and a TFRecord file
//   build/bench/data fashion|jpeg|tfrecord FOLDER [WORKERS [BATCHES]]
// `fashion` are the autoencoder's transforms, `jpeg` a ViT's augmentation, `tfrecord` examples with
// PNG. bench/peers/loader.py does the same work with other tools; bench/compare_data runs all.
#include <ATen/ops/empty.h>
#include <jpeglib.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "kd/data/engine/buffers.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/order/generator.h"
#include "kd/data/sources/sources.h"
#include "kd/data/transforms/transforms_tf.h"
#include "kd/engine/engine.h"
#include "kd/io/example.h"
#include "kd/io/image.h"
#include "kd/io/tfrecord.h"

namespace {

namespace fs = std::filesystem;
using namespace kd;

constexpr int kFashionBatch = 256, kJpegBatch = 64;
constexpr int kPictures = 512, kExamples = 20000;

// Smooth colours, edges and noise: compresses about as photographs do.
Tensor picture(int seed, int height, int width) {
  data::Generator rng({static_cast<std::uint64_t>(seed), 0});
  const double a = rng.uniform() * 0.05, b = rng.uniform() * 0.05, phase = rng.uniform() * 6;
  Tensor out = at::empty({height, width, 3}, at::kByte);
  auto* to = out.mutable_data_ptr<std::uint8_t>();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double wave = std::sin(a * x + b * y + phase) + 0.4 * std::sin(0.6 * x - 0.5 * b * y);
      const double edge = (x / 37 + y / 29 + seed) % 3 == 0 ? 40 : 0;
      for (int c = 0; c < 3; ++c) {
        const double noise = (rng.uniform() - 0.5) * 16;
        *to++ = static_cast<std::uint8_t>(
            std::clamp(110 + 60 * wave + edge + 20 * c + noise, 0.0, 255.0));
      }
    }
  }
  return out;
}

void write_jpeg(const Tensor& image, const fs::path& path) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  jpeg_stdio_dest(&info, file.get());
  info.image_height = static_cast<JDIMENSION>(image.size(0));
  info.image_width = static_cast<JDIMENSION>(image.size(1));
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 90, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    Tensor row = image[info.next_scanline].contiguous();
    JSAMPROW rows[] = {row.mutable_data_ptr<std::uint8_t>()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
}

// The parts of a protocol buffer message.
std::string varint(std::uint64_t n) {
  std::string out;
  for (; n >= 128; n >>= 7) out += static_cast<char>(n | 128);
  return out + static_cast<char>(n);
}
std::string field(int number, const std::string& bytes) {
  constexpr int kBytes = 2;
  return varint(static_cast<std::uint64_t>(number << 3 | kBytes)) + varint(bytes.size()) + bytes;
}
std::string feature(const std::string& name, const std::string& value) {
  return field(1, field(1, name) + field(2, value));
}

Poly<Pipeline> fashion(int workers) {
  return data::py::Tfds{.name = "fashion_mnist",
                        .split = "train",
                        .shuffle = true,
                        .transforms = {data::Elements{.keep = {"image"}},
                                       data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
                        .batch_size = kFashionBatch,
                        .seed = 0,
                        .num_workers = workers};
}

Poly<Pipeline> jpegs(const std::string& folder, int workers) {
  return data::py::DataSource{
      .data_source = data::ImageFolder{.path = folder + "/jpeg"},
      .shuffle = true,
      .transforms = {data::Elements{.keep = {"image", "label"}},
                     data::tf::InceptionCrop{
                         .key = "image", .resize_size = {{224, 224}}, .area_range = {0.08, 1.0}},
                     data::py::RandomFlipLeftRight{.key = "image"},
                     data::ValueRange{.key = "image", .vrange = {{-1, 1}}}},
      .batch_size = kJpegBatch,
      .seed = 0,
      .num_workers = workers};
}

Poly<Pipeline> tfrecords(const std::string& folder, int workers) {
  return data::py::DataSource{.data_source = data::TfRecord{.paths = {folder + "/fashion.tfrecord"},
                                                            .images = {{"image", 1}}},
                              .shuffle = true,
                              .transforms = {data::ValueRange{.key = "image", .vrange = {{0, 1}}}},
                              .batch_size = kFashionBatch,
                              .seed = 0,
                              .num_workers = workers};
}

void prepare(const fs::path& folder) {
  for (int i = 0; i < kPictures; ++i) {
    const fs::path to = folder / "jpeg" / ("class" + std::to_string(i % 8));
    fs::create_directories(to);
    const bool upright = i % 3 == 0;
    write_jpeg(picture(i, upright ? 500 : 375, upright ? 375 : 500),
               to / (std::to_string(i) + ".jpg"));
  }
  std::ofstream out(folder / "fashion.tfrecord", std::ios::binary);
  const data::py::Tfds source{
      .name = "fashion_mnist", .split = "train", .shuffle = false, .seed = 0};
  const auto records = source.records();
  for (int i = 0; i < kExamples; ++i) {
    const Tree record = records->read(i);
    const std::string png = io::encode_png(record["image"].tensor());
    const auto label = static_cast<std::uint64_t>(record["label"].tensor().item().toLong());
    out << io::tfrecord_frame(field(1, feature("image", field(1, field(1, png))) +
                                           feature("label", field(3, field(1, varint(label))))));
  }
}

double peak_memory_mb() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

void measure(const std::string& name, const Poly<Pipeline>& pipeline, int workers, int batches) {
  data::Iterator it = data::open(pipeline).iterate();
  for (int i = 0; i < 4; ++i) it.next();  // what comes first: files mapped, threads started
  const double before = peak_memory_mb();
  const auto made = data::buffer_stats().made;
  const auto begin = std::chrono::steady_clock::now();
  double kept = 0;
  for (int i = 0; i < batches; ++i) {
    const auto batch = it.next();
    kept += static_cast<double>(batch->at("image").tensor().size(0));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("kd %s, %d workers: %.1f batches/s, %.0f records/s\n", name.c_str(), workers,
              batches / took.count(), kept / took.count());
  std::printf("  memory grew by %.1f MB, %lld new buffers in %d batches\n",
              peak_memory_mb() - before, static_cast<long long>(data::buffer_stats().made - made),
              batches);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2) {
    std::fprintf(stderr, "usage: data prepare|fashion|jpeg|tfrecord FOLDER [WORKERS [BATCHES]]\n");
    return 2;
  }
  engine::configure();
  const int workers = args.size() > 2 ? std::atoi(args[2].c_str()) : 2;
  auto batches = [&](int usual) { return args.size() > 3 ? std::atoi(args[3].c_str()) : usual; };
  if (args[0] == "prepare") prepare(args[1]);
  if (args[0] == "fashion") measure("fashion", fashion(workers), workers, batches(3000));
  if (args[0] == "jpeg") measure("jpeg", jpegs(args[1], workers), workers, batches(24));
  if (args[0] == "tfrecord")
    measure("tfrecord", tfrecords(args[1], workers), workers, batches(500));
}
