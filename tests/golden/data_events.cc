// Golden cases of TensorBoard's files: our events are the reference's, byte for byte.
#include "kd/io/image.h"
#include "kd/io/tfrecord.h"
#include "kd/writers/engine/events.h"
#include "tests/golden/base64.h"
#include "tests/golden/data_case.h"

namespace golden {

using kd::Tensor;
using kd::writers::Histogram;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

// "summaries/hist" shows the input "hist"; "summaries/rgb", "pictures".
std::string input_name(const std::string& tag) {
  const std::string name = tag.substr(tag.rfind('/') + 1);
  return name == "rgb" ? "pictures" : name;
}

std::string event_of(const DataCase& c, const Dict& wanted) {
  const double time = number(wanted.at("wall_time"));
  const auto step = wanted.at("step").as<std::int64_t>();
  if (wanted.at("kind") == Value("file_version")) return kd::writers::version_event(time);
  const std::string& tag = wanted.at("tag").as<std::string>();
  const std::string& plugin = wanted.at("plugin").as<std::string>();
  if (plugin == "scalars") {
    return kd::writers::scalar_event(time, step, tag,
                                     number(c.inputs.at("scalars").as<Dict>().at(tag)));
  }
  if (plugin == "text") {
    std::vector<std::string> texts;
    for (const Value& text : wanted.at("value").as<List>()) {
      texts.push_back(base64_decode(text.as<std::string>()));
    }
    return kd::writers::text_event(time, step, tag, texts);
  }
  const std::string name = input_name(tag);
  const Tensor input = input_of(c, c.inputs.at(name)).tensor();
  if (plugin == "images") return kd::writers::image_event(time, step, tag, input);
  const auto buckets = c.args.at("histogram_buckets").as<Dict>().at(name).as<std::int64_t>();
  return kd::writers::histogram_event(time, step, tag, Histogram{input, static_cast<int>(buckets)});
}

}  // namespace

Problems run_events(const DataCase& c) {
  Problems problems;
  const auto bytes =
      kd::io::map_file(golden_folder() + "/data/" + c.args.at("file").as<std::string>());
  const auto spans = kd::io::index_tfrecords(bytes);
  const List& events = c.outputs.at("events").as<List>();
  expect_same(problems, "number of events", spans.size(), events.size());
  std::string frames;
  for (std::size_t i = 0; i < std::min(spans.size(), events.size()); ++i) {
    const std::string_view wanted = kd::io::tfrecord_at(bytes, spans[i]);
    frames += kd::io::tfrecord_frame(wanted);
    const std::string ours = event_of(c, events[i].as<Dict>());
    if (ours != wanted) {
      problems.push_back("event " + std::to_string(i) + " is written differently: " +
                         base64_encode(ours) + " instead of " + base64_encode(wanted));
    }
  }
  if (frames != bytes.data) problems.push_back("frames are written differently");
  return problems;
}

}  // namespace golden
