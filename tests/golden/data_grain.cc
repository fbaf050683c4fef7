// Golden cases of the pipelines of kd.data.py.
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include <filesystem>

#include "base/file.h"
#include "base/temp_folder.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/order/interleave.h"
#include "konfig/json.h"
#include "tests/golden/data_case.h"

namespace golden {

using namespace kd::data;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

using Key = kd::random::Key;

RecordsPtr numbers(std::int64_t n, std::int64_t base = 0) {
  return in_memory(Tree::dict({{"i", at::arange(base, base + n, at::kLong)}}));
}

std::int64_t first_number(const Tree& record) {
  return record["i"].tensor().to(at::kLong).item().toLong();
}

Value number_or_list(const Tree& batch) {
  const kd::Tensor all = batch["i"].tensor().to(at::kLong).contiguous();
  if (all.dim() == 0) return first_number(batch);
  auto* from = all.const_data_ptr<std::int64_t>();
  return list_of({from, from + all.numel()});
}

List all_of(const Dataset& ds) {
  List out;
  for (const Tree& batch : ds) out.push_back(number_or_list(batch));
  return out;
}

List some_of(Iterator& it, std::size_t n) {
  List out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(number_or_list(it.next().value()));
  return out;
}

Step odd() {
  return {.name = "Odd", .filter = [](const Tree& r) { return first_number(r) % 2 == 1; }};
}
Step unchanged() {
  return {.name = "Keep", .map = [](Tree record) { return record; }};
}

Remainder remainder_of(const Dict& args) {
  auto* value = args.find("batch_drop_remainder");
  if (!value) return Remainder::drop;
  if (auto* flag = value->get_if<bool>()) return *flag ? Remainder::drop : Remainder::keep;
  const std::string mode = value->as<std::string>();
  return mode == "drop" ? Remainder::drop : mode == "keep" ? Remainder::keep : Remainder::pad;
}

Batching batching_of(const Dict& args) {
  return {.num_epochs = integer_or_none(args, "num_epochs"),
          .batch_size = integer_or_none(args, "batch_size"),
          .remainder = remainder_of(args)};
}

std::vector<Step> steps_of(const Dict& args) {
  auto* value = args.find("transforms");
  if (!value) value = args.find("case");
  if (!value) return {};
  const std::string name = value->as<std::string>();
  auto slice = [](std::optional<std::int64_t> start, std::optional<std::int64_t> stop = {},
                  std::optional<std::int64_t> step = {}) {
    return Step{.name = "SliceDataset", .slice = py::SliceDataset{start, stop, step}};
  };
  if (name == "slice_stop") return {slice(6)};
  if (name == "slice_range") return {slice(2, 9, 3)};
  if (name == "slice_then_filter") return {slice(1, 8), odd()};
  if (name == "filter_odd" || name == "filtered") return {odd()};
  return {};
}

Dataset dataset_of(const Dict& args, bool shuffle, const std::vector<Step>& steps,
                   const Process& process = {}) {
  RecordsPtr records;
  if (auto* given = args.find("records"); given && given->is<List>()) {
    records = in_memory(Tree::dict({{"i", at::tensor(integers(*given), at::kLong)}}));
  } else {
    records = numbers(args.at("n").as<std::int64_t>());
  }
  const Key key = root_key(args.at("seed").as<std::int64_t>());
  StreamPtr stream = ordered(records, key, shuffle, process);
  for (const Step& step : steps) stream = with_step(stream, step);
  return batched(stream, batching_of(args), process);
}

Dict keys_of(const Key& key) {
  return {{"key", List{key.hi, key.lo}},
          {"op_seed", kd::random::as_seed(key)},
          {"shuffle_seed", shuffle_seed(key)}};
}

// A mixture, or a selection where the case has a table.
Dataset mixture_of(const Dict& args) {
  const Key key = root_key(args.at("seed").as<std::int64_t>());
  std::vector<StreamPtr> children;
  for (std::int64_t size : integers(args.at("sizes"))) {
    const auto k = static_cast<std::int64_t>(children.size());
    children.push_back(ordered(numbers(size, 100 * k), kd::random::fold_in(key, k),
                               flag_of(args, "child_shuffle", false), Process{}));
  }
  StreamPtr stream;
  if (auto* table = args.find("selection")) {
    std::vector<Turn> turns;
    for (const Value& row : table->as<List>()) {
      const auto pair = integers(row);
      turns.push_back({static_cast<std::size_t>(pair.at(0)), pair.at(1)});
    }
    stream = selected(children, turns);
  } else {
    std::optional<std::vector<double>> weights;
    if (auto* given = args.find("weights"); given && !given->is_none()) {
      weights.emplace();
      for (const Value& weight : given->as<List>()) weights->push_back(number(weight));
    }
    stream = mixed(children, weights);
  }
  if (flag_of(args, "shuffle", true)) stream = shuffled(stream, shuffle_seed(key));
  return batched(stream, batching_of(args));
}

Problems run_record_rng(const DataCase& c) {
  Problems problems;
  const bool shuffle = flag_of(c.args, "shuffle", true);
  std::vector<Generator> generators;
  std::vector<Step> steps;
  for (std::int64_t i = 0; i < c.args.at("transforms_before").as<std::int64_t>(); ++i) {
    steps.push_back(unchanged());
  }
  steps.push_back({.name = "Draw", .random_map = [&](Tree record, const Generator& rng) {
                     generators.push_back(rng);
                     return record;
                   }});
  const List order = all_of(dataset_of(c.args, shuffle, steps));
  auto& records = c.outputs.at("records").as<List>();
  for (std::size_t i = 0; i < records.size() && i < generators.size(); ++i) {
    const Dict& wanted = records[i].as<Dict>();
    const std::string where = "record " + std::to_string(i);
    Generator rng = generators[i];
    expect_same(problems, where, order[i], wanted.at("i"));
    expect_same(problems, where + " raw", std::to_string(rng.bits64()), wanted.at("raw"));
    expect_same(problems, where + " integers", rng.integers(10), wanted.at("integers_0_10"));
    expect_same(problems, where + " random", rng.uniform(), wanted.at("random"));
    expect_same(problems, where + " normal", rng.normal(), wanted.at("normal"));
  }
  if (records.size() != generators.size()) problems.push_back("another number of records");
  // The seeds on the way, by the rule.
  const auto op_seed = kd::random::as_seed(root_key(c.args.at("seed").as<std::int64_t>()));
  const std::uint64_t entropy[] = {op_seed, unsigned_of(c.outputs.at("depth"))};
  const auto transform_seed = seed_words(entropy, 1)[0];
  const auto key = seeded_key(transform_seed);
  expect_same(problems, "op_seed", op_seed, c.outputs.at("op_seed"));
  expect_same(problems, "transform_seed", transform_seed, c.outputs.at("transform_seed"));
  expect_same(problems, "key", List{std::to_string(key[0]), std::to_string(key[1])},
              c.outputs.at("philox_key"));
  return problems;
}

Problems run_iterator_state(const DataCase& c) {
  Problems problems;
  const bool shuffle = c.args.at("case").as<std::string>() == "shuffled";
  auto make = [&] { return dataset_of(c.args, shuffle, steps_of(c.args)).iterate(); };
  Iterator it = make();
  auto& states = c.outputs.at("state_before_and_after_each_batch").as<List>();
  std::vector<std::string> ours = {it.state()};
  List batches;
  for (std::size_t i = 1; i < states.size(); ++i) {
    batches.push_back(number_or_list(it.next().value()));
    ours.push_back(it.state());
  }
  List parsed;
  for (auto& state : ours) parsed.push_back(konfig::parse_json(state));
  expect_same(problems, "states", parsed, Value(states));
  expect_same(problems, "batches", batches, c.outputs.at("first_4_batches"));
  Iterator other = make();
  other.restore(ours.at(2));
  auto& after = c.outputs.at("restored_from_state_after_2_batches_next_3");
  expect_same(problems, "restored", some_of(other, after.as<List>().size()), after);

  const base::TempFolder folder("kd_golden_data_state_");
  save_state(it, folder.path().string());
  for (auto& [name, content] : c.outputs.at("checkpoint_files_after_4_batches").as<Dict>()) {
    expect_same(problems, "file", base::read_file(folder / name.as<std::string>()), content);
  }
  return problems;
}

Problems run_interleave(const DataCase& c) {
  Problems problems;
  std::vector<double> weights;
  for (const Value& weight : c.args.at("weights").as<List>()) weights.push_back(number(weight));
  const auto proportions = integer_proportions(weights);
  expect_same(problems, "proportions", list_of(proportions), c.outputs.at("integer_proportions"));
  auto& wanted = c.outputs.at("dataset_and_key_of_positions_0_to_23");
  List ours;
  for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) {
    const Turn turn = turn_at(static_cast<std::int64_t>(i), proportions);
    ours.push_back(List{turn.dataset, turn.element});
  }
  expect_same(problems, "turns", ours, wanted);
  return problems;
}

Problems run_seed_sequence(const DataCase& c) {
  Problems problems;
  List ours;
  for (const Value& entropy : c.args.at("entropy").as<List>()) {
    List words;
    for (auto word : seed_words(unsigned_list(entropy), 6)) words.push_back(word);
    ours.push_back(words);
  }
  expect_same(problems, "words", ours, c.outputs.at("words"));
  return problems;
}

List per_process(const DataCase& c) {
  List out;
  const auto count = static_cast<int>(c.args.at("process_count").as<std::int64_t>());
  for (int i = 0; i < count; ++i) {
    const Dataset ds =
        dataset_of(c.args, flag_of(c.args, "shuffle", true), steps_of(c.args), Process{i, count});
    out.push_back(Dict{{"batches", all_of(ds)}, {"len", ds.size()}});
  }
  return out;
}

Value output_of(const DataCase& c, const std::string& kind, const Value& wanted) {
  const bool mixture = c.args.find("sizes") != nullptr;
  const Dict& args = c.args;
  if (kind == "key" || kind == "op_seed" || kind == "shuffle_seed") {
    return keys_of(root_key(args.at("seed").as<std::int64_t>())).at(kind);
  }
  if (kind == "children") {
    List out;
    for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) {
      out.push_back(keys_of(kd::random::fold_in(root_key(args.at("seed").as<std::int64_t>()), i)));
    }
    return out;
  }
  if (kind == "per_process") return per_process(c);
  if (c.name == "grain/concatenate") {
    std::vector<StreamPtr> parts;
    for (std::int64_t size : integers(args.at("sizes"))) {
      parts.push_back(stream(numbers(size, 100 * static_cast<std::int64_t>(parts.size()))));
    }
    const StreamPtr all = concatenated(parts);
    if (kind == "len") return all->size();
    List out;
    for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) {
      out.push_back(first_number(all->at(static_cast<std::int64_t>(i)).value()));
    }
    return out;
  }
  const Dataset ds =
      mixture ? mixture_of(args) : dataset_of(args, flag_of(args, "shuffle", true), steps_of(args));
  if (kind.starts_with("len")) return ds.size();
  if (kind.starts_with("order") || kind == "batches") return all_of(ds);
  throw std::runtime_error("the runner does not know the output " + kind);
}

}  // namespace

Problems run_grain(const DataCase& c) {
  if (c.name.starts_with("grain/record_rng/")) return run_record_rng(c);
  if (c.name.starts_with("grain/iterator_state/")) return run_iterator_state(c);
  if (c.name.starts_with("grain/interleave/")) return run_interleave(c);
  if (c.name == "grain/seed_sequence") return run_seed_sequence(c);
  Problems problems;
  for (auto& [name, wanted] : c.outputs) {
    const std::string kind = name.as<std::string>();
    expect_same(problems, kind, output_of(c, kind, wanted), wanted);
  }
  return problems;
}

}  // namespace golden
