// ShowVideosAsGif.
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/images_impl.h"

namespace kd::summaries::contrib {

VideosState ShowVideosAsGif::get_state(Num<"n t h w #3"> videos) const {
  namespace images = kd::summaries::detail;
  if (save_format != "GIF") {
    throw konfig::Error(konfig::ErrorKind::value,
                        "ShowVideosAsGif.save_format: expected 'GIF', got '" + save_format +
                            "'; animations are written as GIF only");
  }
  Tensor shown = images::first(videos.detach(), num_videos).to(at::kFloat);
  if (shown.size(-1) == 1) shown = shown.expand({-1, -1, -1, -1, 3});
  shown = images::rescale(shown, in_vrange).clamp(0.0, 1.0) * 255;
  return {.videos = {shown.to(at::kByte), num_videos}};
}

}  // namespace kd::summaries::contrib
