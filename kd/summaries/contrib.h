// Further summaries: images side by side, confusion matrices, videos. Not as settled as the others.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"
#include "kontext/keys.h"

namespace kd::metrics {
class State;
}

namespace kd::summaries::contrib {

struct ConfusionMatrixState;
struct PrintState;
struct VideosState;

// A name ("white"), "#102030", three whole numbers up to 255, three numbers up to 1, or how white.
using Color = std::variant<std::string, std::array<int, 3>, std::array<double, 3>, double>;

// Several summaries of images in one image: a column each, under its name.
struct ImageGrid {
  Map<Poly<Metric>> columns = {};  // summaries that give images of one size
  int border_width = 2;            // pixels between the images
  Color bg_color = "black";        // of the borders and behind the names
  int font_size = 10;              // height of the names
  Color font_color = "white";      // of the names
  metrics::State get_state(const kontext::ResolvedKeys& inputs) const;
  metrics::State empty() const;
  kontext::KeyPaths kontext_keys() const;
};

// What the numbers of a ConfusionMatrix are divided by.
enum class Normalize {
  true_,  // the examples of their class
  pred,   // the examples taken for their class
  all,    // all examples
};

// How often which class is taken for which, as text: a row for each class, a column for each guess.
struct ConfusionMatrix {
  Key logits = Key::required();             // unnormalised log-probabilities, classes last
  Key labels = Key::required();             // class of each example, with a last axis of 1
  std::optional<Key> sample_weight = {};    // of the examples; all 1 when absent
  std::optional<Normalize> normalize = {};  // parts instead of numbers; None: numbers
  int precision = 2;                        // digits behind the point
  ConfusionMatrixState get_state(Float<"*b n"> logits, Int<"*b 1"> labels,
                                 std::optional<Float<"*b 1">> sample_weight) const;
};

// Prints tensors of the first batch to the log; has no value.
struct Print {
  Key value = Key::required();  // a tensor, or a tree of them
  int first_n = 5;              // elements of each tensor; 0: all
  PrintState get_state(const kontext::Resolved& value) const;
};

// The first videos, uint8, for a writer of animations.
struct ShowVideosAsGif {
  Key videos = Key::required();                             // (n, time, height, width, 1 or 3)
  int num_videos = 4;                                       // how many are shown
  std::optional<std::pair<double, double>> in_vrange = {};  // range of the values, when not [0, 1]
  std::string save_format = "GIF";                          // kept: animations are GIF
  VideosState get_state(Num<"n t h w #3"> videos) const;
};

}  // namespace kd::summaries::contrib

KONFIG_COMPONENT(kd::Metric, kd::summaries::contrib::ImageGrid,
                 "kauldron.contrib.summaries:ImageGrid", "kauldron.kd:contrib.summaries.ImageGrid");
KONFIG_COMPONENT(kd::Metric, kd::summaries::contrib::ConfusionMatrix,
                 "kauldron.contrib.summaries:ConfusionMatrix",
                 "kauldron.kd:contrib.summaries.ConfusionMatrix");
KONFIG_COMPONENT(kd::Metric, kd::summaries::contrib::Print, "kauldron.contrib.summaries:Print",
                 "kauldron.kd:contrib.summaries.Print");
KONFIG_COMPONENT(kd::Metric, kd::summaries::contrib::ShowVideosAsGif,
                 "kauldron.contrib.summaries:ShowVideosAsGif",
                 "kauldron.kd:contrib.summaries.ShowVideosAsGif");
