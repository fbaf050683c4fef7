// Golden cases of transforms.
#include <ATen/ops/arange.h>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/resize.h"
#include "kd/data/order/tf_random.h"
#include "kd/data/transforms/transforms_tf.h"
#include "konfig/config_dict.h"
#include "konfig/resolve.h"
#include "tests/golden/compare.h"
#include "tests/golden/data_case.h"

namespace golden {

using namespace kd::data;
using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

// "kd.data.py.Cast" with the arguments of a case, through a config.
konfig::Poly<kd::Transform> transform_of(const std::string& api, const Dict& args) {
  const std::string prefix = "kd.";
  Dict config{{"__qualname__", "kauldron.kd:" + api.substr(prefix.size())}};
  for (auto& [name, value] : args) config.set(name, value);
  return konfig::load<konfig::Poly<kd::Transform>>(
      konfig::resolve(Value(konfig::ConfigDict(config))));
}

Problems run_one(const DataCase& c, const std::string& api, const Dict& args, Backend backend) {
  Problems problems;
  const Value* error = c.outputs.find("error");
  try {
    const Step step = bind(transform_of(api, args), backend);
    const Tree inputs = inputs_of(c);
    const Tree ours = step.map(inputs);
    if (error) return {"no error; wanted " + error->as<std::string>()};
    expect_tree(problems, "outputs", ours, Value(c.outputs), c);
    if (step.map_batch && problems.empty()) {
      const Tree both[] = {inputs, inputs};
      const Tree batch = step.map_batch(stack(both));
      const Tree each[] = {ours, ours};
      const Tree wanted = stack(each);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!wanted.child(i).is_tensor()) continue;
        std::string differs =
            difference(batch[wanted.name(i)].tensor(), wanted.child(i).tensor(), {});
        if (!differs.empty()) problems.push_back("as a batch: " + wanted.name(i) + ": " + differs);
      }
    }
  } catch (const konfig::Error& e) {
    if (!error) throw;
    expect_same(problems, "error", python_name(e.kind()), *error);
  }
  return problems;
}

Problems run_shape_rule(const DataCase& c) {
  Problems problems;
  for (const Value& row : c.outputs.at("rows").as<List>()) {
    const auto v = integers(row);
    Resize by_min{.key = "a"}, by_max{.key = "a"};
    by_min.min_size = by_max.max_size = static_cast<int>(v.at(2));
    const auto [h_min, w_min] = by_min.new_size(v.at(0), v.at(1));
    const auto [h_max, w_max] = by_max.new_size(v.at(0), v.at(1));
    expect_same(problems, "sizes", List{v[0], v[1], v[2], h_min, w_min, h_max, w_max}, row);
  }
  return problems;
}

Transforms random_transforms(const std::string& name) {
  const ElementKey both = {"image", "mask"};
  using Shape = std::vector<std::optional<int>>;
  if (name == "random_crop") return {py::RandomCrop{.key = both, .shape = Shape{3, 4, {}}}};
  if (name == "random_flip") return {py::RandomFlipLeftRight{.key = both}};
  if (name == "flip_then_crop") {
    return {py::RandomFlipLeftRight{.key = "image"},
            py::RandomCrop{.key = "image", .shape = Shape{4, 4, 1}}};
  }
  if (name == "elements_flip") {
    return {Elements{.keep = {"image", "k"}}, py::RandomFlipLeftRight{.key = "image"}};
  }
  throw std::runtime_error("the runner does not know the transforms " + name);
}

Problems run_random(const DataCase& c) {
  Problems problems;
  if (c.args.find("philox_key_seed")) {
    const Generator rng({unsigned_of(c.args.at("philox_key_seed")), 0});
    const Step step = bind(py::RandomFlipLeftRight{.key = "image"});
    expect_tree(problems, "outputs", step.random_map(inputs_of(c), rng), Value(c.outputs), c);
    return problems;
  }
  const Tensor images = inputs_of(c)["images"].tensor();
  const Tree examples = Tree::dict({{"image", images},
                                    {"mask", images.to(at::kInt) * 2},
                                    {"k", at::arange(images.size(0), at::kLong)}});
  StreamPtr stream = ordered(in_memory(examples), root_key(c.args.at("seed").as<std::int64_t>()),
                             flag_of(c.args, "shuffle", true), Process{});
  stream = with_transforms(stream, random_transforms(c.args.at("transforms").as<std::string>()),
                           Backend::py);
  const Dataset ds = batched(stream, {.num_epochs = integer_or_none(c.args, "num_epochs")});
  std::vector<Tree> records;
  for (const Tree& record : ds) records.push_back(record);
  const Tree all = stack(records);
  for (auto& [name, wanted] : c.outputs) {
    const std::string element = name.as<std::string>();
    expect_tree(problems, element, all[element], wanted, c);
  }
  return problems;
}

tf::SeedPair seed_of(const Dict& args) {
  const auto seeds = integers(args.at("seed"));
  return {seeds.at(0), seeds.at(1)};
}

std::vector<std::optional<int>> shape_of(const Value& list) {
  std::vector<std::optional<int>> out;
  for (const Value& size : list.as<List>()) {
    out.push_back(size.is_none() ? std::nullopt
                                 : std::optional(static_cast<int>(size.as<std::int64_t>())));
  }
  return out;
}

Problems run_tf_random(const DataCase& c) {
  Problems problems;
  const Tensor image = inputs_of(c)["a"].tensor();
  const tf::SeedPair seed = seed_of(c.args);
  const tf::RandomCrop crop{.key = "a", .shape = shape_of(c.args.at("shape"))};
  const tf::RandomFlipLeftRight flip{.key = "a"};
  expect_tree(problems, "crop", crop.random_map_element(image, seed), c.outputs.at("crop"), c);
  expect_tree(problems, "flip", flip.random_map_element(image, seed), c.outputs.at("flip"), c);
  tf::Stateless random(seed);
  List draws;
  auto& wanted = c.outputs.at("draws_int32");
  for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) draws.push_back(random.bits());
  expect_same(problems, "draws", draws, wanted);
  return problems;
}

Problems run_inception_crop(const DataCase& c) {
  Problems problems;
  const auto size = integers(c.args.at("resize_size"));
  const tf::InceptionCrop crop{
      .key = "a",
      .resize_size = std::pair(static_cast<int>(size.at(0)), static_cast<int>(size.at(1)))};
  const Tensor image = inputs_of(c)["a"].tensor();
  expect_tree(problems, "a", crop.random_map_element(image, seed_of(c.args)), c.outputs.at("a"), c);
  // Where it was cut out.
  const tf::InceptionCrop plain{.key = "a"};
  const Tensor part = plain.random_map_element(image, seed_of(c.args));
  const auto begin = integers(c.outputs.at("begin")), extent = integers(c.outputs.at("size"));
  const Tensor wanted =
      image.narrow(0, begin.at(0), extent.at(0)).narrow(1, begin.at(1), extent.at(1));
  const std::string differs = difference(part, wanted, {});
  if (!differs.empty()) problems.push_back("part: " + differs);
  return problems;
}

}  // namespace

Problems run_transforms(const DataCase& c) {
  if (c.name == "transforms/resize/shape_rule") return run_shape_rule(c);
  if (c.name.starts_with("transforms/random/")) return run_random(c);
  return run_one(c, c.api, c.args, Backend::py);
}

Problems run_tf_transforms(const DataCase& c) {
  if (c.name.starts_with("tf_transforms/random/")) return run_tf_random(c);
  if (c.name.starts_with("tf_transforms/inception_crop/")) return run_inception_crop(c);
  // The key is not among the arguments: each case has one input.
  Dict args = c.args;
  Dict with_key;
  with_key.set("key", c.inputs.begin()->first);
  for (auto& [name, value] : args) with_key.set(name, value);
  const bool shared = c.api == "kd.data.Resize on a TF tensor";
  return run_one(c, shared ? "kd.data.Resize" : c.api, with_key, Backend::tf);
}

}  // namespace golden
