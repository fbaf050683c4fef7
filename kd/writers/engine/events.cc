// Events, as the reference writes them through TensorFlow: each value is a tensor, and the name of
// a plugin says how TensorBoard shows it.
#include "kd/writers/engine/events.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/nan_to_num.h>

#include <cmath>

#include "kd/io/image.h"
#include "kd/io/protobuf.h"

namespace kd::writers {

using io::detail::Encoder;
using konfig::Error;
using konfig::ErrorKind;

namespace {

enum DataType : std::uint64_t { kFloat = 1, kDouble = 2, kString = 7 };

Encoder tensor_of(DataType dtype, std::initializer_list<std::int64_t> shape) {
  Encoder dims;
  for (std::int64_t n : shape) {
    dims.message(2, Encoder().varint(1, static_cast<std::uint64_t>(n)));
  }
  return Encoder().varint(1, dtype).message(2, dims);
}

struct Head {
  double wall_time;
  std::int64_t step;
  const std::string& tag;
};

std::string summary_event(const Head& head, const char* plugin, const Encoder& tensor) {
  const Encoder metadata = Encoder().message(1, Encoder().bytes(1, plugin));
  const Encoder value = Encoder().bytes(1, head.tag).message(8, tensor).message(9, metadata);
  Encoder event;
  event.fixed64(1, head.wall_time);
  if (head.step != 0) event.varint(2, static_cast<std::uint64_t>(head.step));
  return event.message(5, Encoder().message(1, value)).str();
}

std::string_view bytes_of(const Tensor& packed) {
  return {static_cast<const char*>(packed.const_data_ptr()),
          static_cast<std::size_t>(packed.numel()) * packed.element_size()};
}

}  // namespace

std::string version_event(double wall_time) {
  return Encoder()
      .fixed64(1, wall_time)
      .bytes(3, "brain.Event:2")
      .message(10, Encoder().bytes(1, "tensorflow.core.util.events_writer"))
      .str();
}

std::string scalar_event(double wall_time, std::int64_t step, const std::string& tag,
                         double value) {
  const float number = static_cast<float>(value);
  const std::string_view bytes(reinterpret_cast<const char*>(&number), sizeof number);
  return summary_event({wall_time, step, tag}, "scalars", tensor_of(kFloat, {}).bytes(4, bytes));
}

Pictures pictures_of(const std::string& tag, const Tensor& images) {
  if (images.dim() != 4 || images.numel() == 0) {
    throw Error(ErrorKind::value, tag + ": images have the shape (n, h, w, 1 or 3), none of it 0");
  }
  const Tensor pixels =
      at::nan_to_num(images.detach().cpu().to(at::kFloat) * 255).clamp(0, 255).to(at::kByte);
  Pictures files{.width = pixels.size(2), .height = pixels.size(1)};
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    files.files.push_back(io::encode_png(pixels[i]));
  }
  return files;
}

std::string image_event(double wall_time, std::int64_t step, const std::string& tag,
                        const Tensor& images) {
  return pictures_event(wall_time, step, tag, pictures_of(tag, images));
}

std::string pictures_event(double wall_time, std::int64_t step, const std::string& tag,
                           const Pictures& pictures) {
  Encoder tensor = tensor_of(kString, {2 + static_cast<std::int64_t>(pictures.files.size())});
  tensor.bytes(8, std::to_string(pictures.width)).bytes(8, std::to_string(pictures.height));
  for (const std::string& file : pictures.files) tensor.bytes(8, file);
  return summary_event({wall_time, step, tag}, "images", tensor);
}

std::string histogram_event(double wall_time, std::int64_t step, const std::string& tag,
                            const Histogram& histogram) {
  const Tensor buckets = buckets_of(histogram);
  return summary_event({wall_time, step, tag}, "histograms",
                       tensor_of(kDouble, {buckets.size(0), 3}).bytes(4, bytes_of(buckets)));
}

std::string text_event(double wall_time, std::int64_t step, const std::string& tag,
                       const std::vector<std::string>& texts) {
  Encoder tensor = texts.size() == 1
                       ? tensor_of(kString, {})
                       : tensor_of(kString, {static_cast<std::int64_t>(texts.size())});
  for (const std::string& text : texts) tensor.bytes(8, text);
  return summary_event({wall_time, step, tag}, "text", tensor);
}

EventHead event_head(std::string_view event, const std::string& file) {
  EventHead head;
  io::detail::Message message(event, file);
  while (message.next()) {
    if (message.field() == 2 && message.wire() == io::detail::Message::varint) {
      head.step = static_cast<std::int64_t>(message.read_varint());
    } else if (message.field() == 5) {
      head.has_summary = true;
    }
  }
  return head;
}

// Equal widths from the smallest to the largest value; a single value fills the last bucket. Values
// that are not finite are left out.
Tensor buckets_of(const Histogram& histogram) {
  const std::int64_t n = std::max(histogram.num_buckets, 1);
  Tensor values = histogram.tensor.detach().cpu().reshape({-1}).to(at::kDouble);
  values = values.masked_select(values.isfinite()).contiguous();
  if (values.numel() == 0) return at::empty({0, 3}, at::kDouble);
  const double* data = values.const_data_ptr<double>();
  const std::int64_t size = values.numel();
  double low = data[0], high = data[0];
  for (std::int64_t i = 1; i < size; ++i) {
    low = std::min(low, data[i]), high = std::max(high, data[i]);
  }
  const double width = (high - low) / static_cast<double>(n);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < size; ++i) {
    const double bucket = width > 0 ? std::floor((data[i] - low) / width) : double(n - 1);
    ++counts[static_cast<std::size_t>(std::clamp(bucket, 0.0, double(n - 1)))];
  }
  Tensor out = at::empty({n, 3}, at::kDouble);
  double* to = out.mutable_data_ptr<double>();
  auto edge = [&](std::int64_t i) { return i == n ? high : low + width * static_cast<double>(i); };
  for (std::int64_t i = 0; i < n; ++i) {
    *to++ = edge(i);
    *to++ = edge(i + 1);
    *to++ = static_cast<double>(counts[static_cast<std::size_t>(i)]);
  }
  return out;
}

}  // namespace kd::writers
