// Animations: files, and the writer that makes them of videos.
#include <gif_lib.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "kd/writers/files_impl.h"
#include "kd/writers/gif_impl.h"
#include "konfig/copy_fields.h"
#include "konfig/error.h"

namespace kd::writers {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr int kColors = 256;

// One byte for each pixel, and the colours that they stand for.
struct Indexed {
  std::vector<GifByteType> pixels;
  std::array<GifColorType, kColors> colors = {};
};

// False when there are too many colours.
bool index_exactly(Indexed& out, const std::vector<GifColorType>& pixels) {
  std::map<int, GifByteType> known;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const GifColorType& p = pixels[i];
    const auto next = static_cast<GifByteType>(known.size());
    const auto [entry, added] = known.try_emplace(p.Red << 16 | p.Green << 8 | p.Blue, next);
    if (added && known.size() > kColors) return false;
    out.pixels[i] = entry->second;
    out.colors[entry->second] = p;
  }
  return true;
}

void index_nearly(Indexed& out, const std::vector<GifColorType>& pixels) {
  std::vector<GifByteType> red, green, blue;
  for (const GifColorType& p : pixels) {
    red.push_back(p.Red), green.push_back(p.Green), blue.push_back(p.Blue);
  }
  int size = kColors;
  if (GifQuantizeBuffer(static_cast<unsigned>(pixels.size()), 1, &size, red.data(), green.data(),
                        blue.data(), out.pixels.data(), out.colors.data()) != GIF_OK) {
    throw Error(ErrorKind::value, "no colours were found for an animation");
  }
}

Indexed indexed(const Tensor& video) {
  const Tensor packed = video.contiguous();
  const std::int64_t channels = packed.size(3);
  const auto* bytes = packed.const_data_ptr<std::uint8_t>();
  std::vector<GifColorType> pixels(static_cast<std::size_t>(packed.numel() / channels));
  for (GifColorType& p : pixels) {
    p = channels == 1 ? GifColorType{bytes[0], bytes[0], bytes[0]}
                      : GifColorType{bytes[0], bytes[1], bytes[2]};
    bytes += channels;
  }
  Indexed out{.pixels = std::vector<GifByteType>(pixels.size())};
  if (!index_exactly(out, pixels)) index_nearly(out, pixels);
  return out;
}

int append(GifFileType* file, const GifByteType* bytes, int size) {
  static_cast<std::string*>(file->UserData)
      ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  return size;
}

void require(int result) {
  if (result != GIF_OK) throw Error(ErrorKind::value, "an animation could not be written");
}

void put_repeat(GifFileType* file) {
  const GifByteType for_ever[] = {1, 0, 0};
  require(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE));
  require(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"));
  require(EGifPutExtensionBlock(file, sizeof for_ever, for_ever));
  require(EGifPutExtensionTrailer(file));
}

}  // namespace

std::string encode_gif(const Tensor& video, int milliseconds_a_frame) {
  const auto height = static_cast<int>(video.size(1)), width = static_cast<int>(video.size(2));
  Indexed image = indexed(video);
  std::string out;
  int error = 0;
  struct Close {
    void operator()(GifFileType* file) const { EGifCloseFile(file, nullptr); }
  };
  const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> colors(
      GifMakeMapObject(kColors, image.colors.data()), &GifFreeMapObject);
  std::unique_ptr<GifFileType, Close> file(EGifOpen(&out, append, &error));
  if (!file || !colors) throw std::bad_alloc();
  EGifSetGifVersion(file.get(), true);
  require(EGifPutScreenDesc(file.get(), width, height, 8, 0, colors.get()));
  put_repeat(file.get());
  const GraphicsControlBlock control{.DisposalMode = DISPOSE_DO_NOT,
                                     .UserInputFlag = false,
                                     .DelayTime = milliseconds_a_frame / 10,
                                     .TransparentColor = NO_TRANSPARENT_COLOR};
  GifByteType packed[4];
  EGifGCBToExtension(&control, packed);
  GifByteType* row = image.pixels.data();
  for (std::int64_t t = 0; t < video.size(0); ++t) {
    require(EGifPutExtension(file.get(), GRAPHICS_EXT_FUNC_CODE, sizeof packed, packed));
    require(EGifPutImageDesc(file.get(), 0, 0, width, height, false, nullptr));
    for (int y = 0; y < height; ++y, row += width) require(EGifPutLine(file.get(), row, width));
  }
  require(EGifCloseFile(file.release(), &error));
  return out;
}

namespace {

bool is_video(const Tensor& tensor) {
  return tensor.scalar_type() == at::kByte && tensor.dim() == 5 &&
         (tensor.size(4) == 1 || tensor.size(4) == 3);
}

Pictures animations_of(const std::string& name, const Tensor& videos) {
  if (videos.numel() == 0) throw Error(ErrorKind::value, name + ": there are no videos in it");
  Pictures out{.width = videos.size(3), .height = videos.size(2)};
  const Tensor here = videos.detach().cpu();
  for (std::int64_t i = 0; i < here.size(0); ++i) out.files.push_back(encode_gif(here[i]));
  return out;
}

class WithVideos final : public Writer {
 public:
  explicit WithVideos(std::unique_ptr<Writer> usual) : usual_(std::move(usual)) {}
  void write(const Record& record) override {
    Record all = record;
    for (auto& [name, tensor] : record.arrays) {
      if (is_video(tensor)) all.pictures.emplace_back(name, animations_of(name, tensor));
    }
    usual_->write(all);
  }
  void flush() override { usual_->flush(); }

 private:
  std::unique_ptr<Writer> usual_;
};

}  // namespace

std::unique_ptr<Writer> GifVideoWriter::open(const std::filesystem::path& run,
                                             const std::string& collection, Before before) const {
  KDMetricWriter usual;
  konfig::copy_fields(*this, usual);
  auto out = usual.open(run, collection, before);
  if (!write_video_summaries) return out;
  return std::make_unique<WithVideos>(std::move(out));
}

std::unique_ptr<Writer> MLFlowMetricWriter::open(const std::filesystem::path&, const std::string&,
                                                 Before) const {
  throw Error(ErrorKind::unsupported, "writer",
              "MLFlowMetricWriter needs the Python package mlflow; KDMetricWriter writes "
              "TensorBoard, CSV and JSON lines, which its tools import");
}

}  // namespace kd::writers
