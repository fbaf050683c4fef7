// The events of TensorBoard's files, in the wire format of protocol buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kd/writers/engine/writer.h"

namespace kd::writers {

// The first event of a file.
std::string version_event(double wall_time);

std::string scalar_event(double wall_time, std::int64_t step, const std::string& tag, double value);
std::string image_event(double wall_time, std::int64_t step, const std::string& tag,
                        const Tensor& images);
std::string pictures_event(double wall_time, std::int64_t step, const std::string& tag,
                           const Pictures& pictures);
std::string histogram_event(double wall_time, std::int64_t step, const std::string& tag,
                            const Histogram& histogram);
std::string text_event(double wall_time, std::int64_t step, const std::string& tag,
                       const std::vector<std::string>& texts);

// Images (n, h, w, 1 or 3), floats from 0 to 1, as PNG files; `tag` is for errors.
Pictures pictures_of(const std::string& tag, const Tensor& images);

// The step of an event, and whether it holds a summary.
struct EventHead {
  std::int64_t step = 0;
  bool has_summary = false;
};
EventHead event_head(std::string_view event, const std::string& file);

// Left edge, right edge and number of values of each bucket: float64 (buckets, 3).
Tensor buckets_of(const Histogram& histogram);

}  // namespace kd::writers
