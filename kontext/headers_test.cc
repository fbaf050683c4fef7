// The code in the opening comments of kontext's headers; tests/docs_test.cc holds them to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "kontext/kontext.h"
#include "kontext/toys_test.h"

// tree.h: a type of one's own that is a tree, a list of names and numbers.
struct Table {
  std::vector<std::pair<std::string, int>> rows = {};
};

template <>
struct kontext::TreeTraits<Table> {
  static TreeRef item(const Table& t, const Part& part) {
    for (auto& [name, number] : t.rows) {
      if (part.text() && *part.text() == name) return TreeRef::of(number);
    }
    return {};
  }
  static TreeRef attribute(const Table& t, std::string_view name) {
    return name == "size" ? TreeRef::own(static_cast<int>(t.rows.size())) : TreeRef();
  }
  static constexpr Shape shape = Shape::map;
  static bool each(const Table& t, const Visit& visit) {
    return std::ranges::any_of(
        t.rows, [&](auto& row) { return visit(Part(row.first), TreeRef::of(row.second)); });
  }
  static void set(Table& t, const Part& part, const TreeRef& value) {
    t.rows.emplace_back(part.name(), value.to<int>());
  }
  static konfig::Value value(const Table& t) {
    konfig::Dict out;
    for (auto& [name, number] : t.rows) out.set(name, number);
    return out;
  }
  static void assign(Table& to, const TreeRef& from) {
    to.rows.clear();
    from.each([&](const Part& part, const TreeRef& child) {
      set(to, part, child);
      return false;
    });
  }
};

namespace headers_test {
namespace {

using namespace kontext;
using Tensor = NdArray;

struct Box {
  float score = 0;
};
struct Batch {
  Tensor image;
  std::vector<Box> boxes;
  std::map<std::string, int> ids;
};

struct L2 {
  Key preds = Key::required();
  Key targets = Key::required();
  std::optional<Key> mask = {};
  Tensor loss(const Tensor& preds, const Tensor& targets, std::optional<Tensor> mask) const {
    return mask ? *mask : preds == targets ? targets : preds;
  }
};

struct Context {
  std::map<std::string, Tensor> preds = {{"image", Tensor::zeros({2, 3})}};
  Batch batch = {.image = Tensor::zeros({2, 3}), .boxes = {{.score = 0.5f}}, .ids = {}};
};

TEST(KontextHeaders, Keys) {
  const Context context;
  L2 loss{.preds = "preds.image", .targets = "batch.image"};
  ResolvedKeys args = resolve_from_keyed_obj(context, loss);
  args["preds"].as<Tensor>();
  EXPECT_EQ(args["preds"].as<Tensor>().shape.size(), 2u);
  Tensor values = call_with_keys(context, loss, &L2::loss);
  EXPECT_EQ(values, Tensor::zeros({2, 3}));
}

TEST(KontextHeaders, Reading) {
  const Context context;
  const Batch& batch = context.batch;
  const konfig::ConfigDict cfg = {{"seed", 3}};
  using Layer = std::map<std::string, Tensor>;
  const std::map<std::string, std::map<std::string, std::vector<Layer>>> params = {
      {"encoder", {{"layers", {{}, {{"kernel", Tensor::zeros({4, 2})}}}}}}};
  EXPECT_EQ(get_by_path<float>(batch, "boxes[0].score"), 0.5f);
  get_by_path(params, "encoder.layers[1].kernel[..., 0]").as<Tensor>();
  EXPECT_EQ(get_by_path<int>(cfg, "seed", 0), 3);
  static const Path kImage = "batch.image"_path;
  if (TreeRef image = find_by_path(context, kImage)) EXPECT_EQ(image.as<Tensor>(), batch.image);
}

TEST(KontextHeaders, FlattenAndFilter) {
  const std::map<std::string, std::map<std::string, int>> params = {
      {"encoder", {{"kernel", 1}, {"bias", 2}}}, {"head", {{"kernel", 3}}}};
  std::ostringstream out;
  auto* const console = std::cout.rdbuf(out.rdbuf());
  for (auto& [path, leaf] : flatten_with_path(params)) std::cout << path << "\n";
  std::cout.rdbuf(console);
  EXPECT_EQ(out.str(), "encoder.bias\nencoder.kernel\nhead.kernel\n");
  auto biases = filter_by_path(params, "**.bias");
  EXPECT_EQ(flatten_with_path(biases).size(), 1u);
  const konfig::ConfigDict batch = {
      {"boxes", konfig::Dict{{"a", konfig::Dict{{"label", 1}, {"score", 2}}}}}};
  auto labels = filter_by_path(batch, "boxes.*.label");
  EXPECT_EQ(flatten_with_path(labels).size(), 1u);
}

TEST(KontextHeaders, Paths) {
  Path p = Path::parse("preds.layers[0]['x y'][..., 1:]");
  EXPECT_EQ(p.str(), "preds.layers[0]['x y'][...,1:]");
  EXPECT_EQ((p.parent() / "kernel" / 2).str(), "preds.layers[0]['x y'].kernel[2]");
  GlobPath g = GlobPath::parse("params.**.bias");
  EXPECT_EQ(g.str(), "params.**.bias");
  const std::vector<Part> parts = {Part("image"), Part(0), Part(Slice{.start = 1}),
                                   Part(Axes{Ellipsis{}, 0}), Part::star()};
  EXPECT_TRUE(parts.back().is_wildcard());
}

TEST(KontextHeaders, PathBuilder) {
  auto batch = path_builder_from<Batch>("batch");
  Key key = batch[&Batch::boxes][0][&Box::score];
  EXPECT_EQ(key.str(), "batch.boxes[0].score");
  EXPECT_EQ(batch[&Batch::ids]["x y"].str(), "batch.ids['x y']");
  EXPECT_EQ((batch[&Batch::image][Axes{Ellipsis{}, 0}].str()), "batch.image[...,0]");
}

TEST(KontextHeaders, Writing) {
  konfig::ConfigDict cfg = {
      {"optimizer", konfig::Dict{{"learning_rate", 1e-3}}},
      {"train_ds", konfig::Dict{{"batch_size", 64}}},
      {"evals", konfig::Dict{{"a", konfig::Dict{{"run", konfig::Dict{{"every", 1}}}}}}}};
  set_by_path(cfg, "optimizer.learning_rate", 3e-4);
  set_by_path(cfg, "**.batch_size", 8);
  set_by_path(cfg, "evals.*.run.every", 100);
  EXPECT_EQ(get_by_path<double>(cfg, "optimizer.learning_rate"), 3e-4);
  EXPECT_EQ(get_by_path<int>(cfg, "train_ds.batch_size"), 8);
  EXPECT_EQ(get_by_path<int>(cfg, "evals.a.run.every"), 100);
}

TEST(KontextHeaders, Trees) {
  using Image = Tensor;
  const Batch my_batch = {.image = Tensor::zeros({2}), .boxes = {}, .ids = {}};
  TreeRef batch = my_batch;
  EXPECT_EQ(batch.child("image").as<Image>(), my_batch.image);

  Table table = {.rows = {{"a", 1}}};
  set_by_path(table, "b", 2);
  EXPECT_EQ(get_by_path<int>(table, "b"), 2);
  EXPECT_EQ(get_by_path<int>(table, "size"), 2);
  EXPECT_EQ(flatten_with_path(table).size(), 2u);
  Table copy;
  kontext::assign(copy, konfig::Dict{{"c", 3}});
  EXPECT_EQ(TreeRef(copy).value(), konfig::Value(konfig::Dict{{"c", 3}}));
}

}  // namespace
}  // namespace headers_test
