// Parts of videos, as in the reference's contrib: which frames are taken. What is random equals the
// reference in distribution.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Generator;
}

namespace kd::data::contrib {

enum class AnyRate { random };

// Every how many-th frame is taken.
struct FrameRate : std::variant<int, AnyRate> {
  static constexpr std::string_view konfig_name = "a number or \"random\"";
  using variant::variant;
};

// What fills up a video that is too short: a number, or its last frame again.
enum class PaddingMode { constant, last };

// Frames from a random place on; what is missing at the end is filled up.
struct TemporalRandomWindow {
  Required<ElementKey> key;                          // the elements
  Required<int> length;                              // frames of the result
  PaddingMode padding_mode = PaddingMode::constant;  // "last": the last frame again
  double padding_value = 0;                          // of "constant"
  FrameRate frame_rate = 1;                          // "random": any that fits

  void check() const;
  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

// Frames from a random multiple of `stride` on.
struct TemporalRandomStridedWindow {
  Required<ElementKey> key;  // the elements
  Required<int> length;      // frames of the result
  Required<int> stride;      // between the places where a window may begin
  double padding_value = 0;  // of frames behind the end

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

// A walk to and fro over the frames, from a random one, that turns at random and at both ends.
struct TemporalRandomWalk {
  Required<ElementKey> key;  // the elements: (t, ...)
  Required<int> length;      // frames of the result
  double thresh = 0.05;      // how likely it turns round at a frame

  void check() const;
  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

// Each frame of a video as a record of its own, one after the other. All videos have equally many.
struct SliceVideosIntoFrames {
  Required<std::vector<std::string>> tensors_to_slice_names;  // elements (t, ...) that are cut up
  std::vector<std::string> context_tensors_names = {};        // elements that each frame gets whole

  void check() const;
  std::vector<Tree> split(const Tree& record) const;
};

// Frames at a constant distance, from the first one on.
struct FirstClip {
  std::string input_key = "images";            // the video
  std::optional<std::string> output_key = {};  // None: the video is replaced
  int stride = 1;                              // from one frame to the next
  int num_frames = 1;  // of the clip; the last one again where there are fewer
  std::optional<std::string> indices_key = {};  // where the numbers of the frames are written
  int num_clips = 1;                            // only MultiClip has several

  Tree map(Tree record) const;
};

// The same from the middle.
struct MiddleClip {
  std::string input_key = "images";             // the video
  std::optional<std::string> output_key = {};   // None: the video is replaced
  int stride = 1;                               // from one frame to the next
  int num_frames = 1;                           // of the clip
  std::optional<std::string> indices_key = {};  // where the numbers of the frames are written
  int num_clips = 1;                            // only MultiClip has several

  Tree map(Tree record) const;
};

// Several clips, evenly spread, one behind the other.
struct MultiClip {
  std::string input_key = "images";             // the video
  std::optional<std::string> output_key = {};   // None: the video is replaced
  int stride = 1;                               // from one frame to the next
  int num_frames = 1;                           // of each clip
  std::optional<std::string> indices_key = {};  // where the numbers of the frames are written
  int num_clips = 1;                            // how many

  Tree map(Tree record) const;
};

// The same from a random place.
struct RandomClip {
  std::string input_key = "images";             // the video
  std::optional<std::string> output_key = {};   // None: the video is replaced
  int stride = 1;                               // from one frame to the next
  int num_frames = 1;                           // of the clip
  std::optional<std::string> indices_key = {};  // where the numbers of the frames are written
  int num_clips = 1;                            // only MultiClip has several

  Tree random_map(Tree record, const Generator& rng) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::TemporalRandomWindow,
                 "kauldron.contrib.data:TemporalRandomWindow",
                 "kauldron.kd:contrib.data.TemporalRandomWindow");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::TemporalRandomStridedWindow,
                 "kauldron.contrib.data:TemporalRandomStridedWindow",
                 "kauldron.kd:contrib.data.TemporalRandomStridedWindow");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::FirstClip, "kauldron.contrib.data:FirstClip",
                 "kauldron.kd:contrib.data.FirstClip");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::MiddleClip, "kauldron.contrib.data:MiddleClip",
                 "kauldron.kd:contrib.data.MiddleClip");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::MultiClip, "kauldron.contrib.data:MultiClip",
                 "kauldron.kd:contrib.data.MultiClip");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandomClip, "kauldron.contrib.data:RandomClip",
                 "kauldron.kd:contrib.data.RandomClip");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::TemporalRandomWalk,
                 "kauldron.contrib.data:TemporalRandomWalk",
                 "kauldron.kd:contrib.data.TemporalRandomWalk");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::SliceVideosIntoFrames,
                 "kauldron.contrib.data:SliceVideosIntoFrames",
                 "kauldron.kd:contrib.data.SliceVideosIntoFrames");
