// kd inspect: the model, what is connected with what, and schedules.
#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/plot.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct InspectOptions {
  kd::engine::Options engine = {};
  std::optional<int> depth = {};
  kd::engine::Show show = kd::engine::Show::model;
  std::string out = "";  // a picture of the schedules
};

int inspect(Session& session, const InspectOptions& options) {
  if (!options.out.empty() && options.show != kd::engine::Show::schedules) {
    throw UsageError("--out: a picture is of schedules; add --show=schedules");
  }
  check_picture_name(options.out);
  const kd::engine::Api& api = load_engine();
  api.start(options.engine);
  const kd::engine::JobResult found = api.inspect(
      {.config = session.config().copy(), .show = options.show, .depth = options.depth});
  print(found.text);
  std::vector<Panel> panels;
  for (auto& series : found.series) {
    Curve curve{.label = "value", .points = {}};
    for (auto& [x, y] : series.points) curve.points.push_back({x, y});
    panels.push_back({series.name, {std::move(curve)}});
  }
  if (!panels.empty()) draw(panels, options.out, /*log_y=*/false);
  return kFine;
}

std::string not_negative(std::string& n) {
  return n.starts_with('-') ? "expected 0 or more, got " + n : std::string();
}

const AddVerb<InspectOptions> verb = {{
    .name = "inspect",
    .place = 50,
    .summary = "Show the model: modules, shapes, parameters",
    .help = R"(
One row for each module: what it is called with, what it gives, and how many
parameters of its own it has; with --depth also those of the modules inside it
that are not shown. Parameters that are shared are counted once.

Examples:
  kd inspect --cfg=mnist_autoencoder
  kd inspect --cfg=tiny_vit --depth=2
  kd inspect --cfg=tiny_vit --show=graph | dot -Tsvg > graph.svg
  kd inspect --cfg=tiny_vit --show=schedules --out=schedules.png)",
    .explains_config = true,
    .options =
        [](Options& add, InspectOptions& o) {
          add.value("--depth", o.depth, "N",
                    "How far down: 0 the model alone, 1 its parts, ...; by default all")
              ->check(CLI::Validator(not_negative, ""));
          add.choice(
              "--show", o.show,
              "The model's modules, what is connected with what (for Graphviz), or schedules "
              "as curves");
          add.value("--out", o.out, "FILE", "A .png or .svg file for the schedules", config_files);
          add_engine_flags(add, o.engine);
        },
    .run = inspect,
}};

}  // namespace
}  // namespace cli
