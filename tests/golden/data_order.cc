// Golden cases of generators and orders.
#include <ATen/ops/arange.h>

#include <numeric>
#include <random>

#include "kd/data/engine/pipeline.h"
#include "kd/data/order/generator.h"
#include "kd/data/order/index_shuffle.h"
#include "tests/golden/data_case.h"

namespace golden {

using kd::Tree;
using kd::data::Dataset;
using kd::data::Generator;
using kd::data::Process;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

Generator generator_of(const Dict& args) {
  if (!args.find("key")) return Generator({unsigned_of(args.at("seed")), 0});
  const auto key = unsigned_list(args.at("key")), counter = unsigned_list(args.at("counter"));
  return Generator({key.at(0), key.at(1)},
                   {counter.at(0), counter.at(1), counter.at(2), counter.at(3)});
}

List numbers_of(const Tree& batch) {
  const kd::Tensor numbers = batch["i"].tensor().contiguous();
  auto* from = numbers.const_data_ptr<std::int64_t>();
  return list_of({from, from + numbers.numel()});
}

List batches_of(const Dataset& ds) {
  List out;
  for (const Tree& batch : ds) out.push_back(numbers_of(batch));
  return out;
}

}  // namespace

Problems run_philox(const DataCase& c) {
  Problems problems;
  for (auto& [name, wanted] : c.outputs) {
    const std::string kind = name.as<std::string>();
    Generator rng = generator_of(c.args);
    List ours;
    if (kind == "uint64") {
      for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) {
        ours.push_back(std::to_string(rng.bits64()));
      }
    } else if (kind == "uint32") {
      for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) ours.push_back(rng.bits32());
    } else if (kind == "values" && c.args.find("n")) {
      for (std::size_t i = 0; i < wanted.as<List>().size(); ++i) {
        ours.push_back(rng.integers(unsigned_of(c.args.at("n"))));
      }
    } else if (kind == "values" || kind == "next_integers_0_1000") {
      for (bool coin : rng.coins(c.outputs.at("values").as<List>().size())) {
        ours.push_back(coin ? 1 : 0);
      }
      if (kind != "values") {
        expect_same(problems, kind, Value(rng.integers(1000)), wanted);
        continue;
      }
    } else {
      problems.push_back("the runner does not know the output " + kind);
      continue;
    }
    expect_same(problems, kind, ours, wanted);
  }
  return problems;
}

Problems run_in_memory(const DataCase& c) {
  Problems problems;
  const std::int64_t n = c.args.at("num_examples").as<std::int64_t>();
  const Tree examples = Tree::dict({{"i", at::arange(n, at::kLong)}});
  kd::data::InMemoryOptions options{.batch_size = c.args.at("batch_size").as<std::int64_t>(),
                                    .seed = unsigned_of(c.args.at("seed")),
                                    .shuffle = flag_of(c.args, "shuffle", true),
                                    .num_epochs = integer_or_none(c.args, "num_epochs")};
  for (auto& [name, wanted] : c.outputs) {
    const std::string kind = name.as<std::string>();
    if (kind == "shuffled_order_of_epochs_0_to_3") {
      List ours;
      for (std::uint64_t epoch = 0; epoch < wanted.as<List>().size(); ++epoch) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        Generator({options.seed, 0}, {0, 0, epoch, 0}).shuffle(order);
        ours.push_back(list_of(order));
      }
      expect_same(problems, kind, ours, wanted);
    } else if (kind == "batches_shuffled") {
      expect_same(problems, kind, batches_of(in_memory_batches(examples, options)), wanted);
    } else if (kind == "len") {
      expect_same(problems, kind, in_memory_batches(examples, options).size(), wanted);
    } else if (kind == "batches_unshuffled_2_epochs") {
      auto plain = options;
      plain.shuffle = false;
      plain.num_epochs = 2;
      expect_same(problems, kind, batches_of(in_memory_batches(examples, plain)), wanted);
    } else if (kind == "batches_per_process") {
      const auto count = static_cast<int>(c.args.at("process_count").as<std::int64_t>());
      List ours;
      for (int i = 0; i < count; ++i) {
        ours.push_back(batches_of(in_memory_batches(examples, options, Process{i, count})));
      }
      expect_same(problems, kind, ours, wanted);
    } else {
      problems.push_back("the runner does not know the output " + kind);
    }
  }
  return problems;
}

Problems run_index_shuffle(const DataCase& c) {
  Problems problems;
  for (auto& [name, wanted] : c.outputs) {
    const std::string kind = name.as<std::string>();
    List ours;
    if (kind.starts_with("round_keys_")) {
      std::vector<std::uint32_t> words(wanted.as<List>().size());
      std::seed_seq{static_cast<std::uint32_t>(unsigned_of(c.args.at("seed")))}.generate(
          words.begin(), words.end());
      for (auto word : words) ours.push_back(word);
    } else if (kind == "order") {
      const std::uint64_t max_index = unsigned_of(c.args.at("max_index"));
      const kd::data::IndexShuffle shuffle(
          max_index, static_cast<std::uint32_t>(unsigned_of(c.args.at("seed"))),
          static_cast<int>(c.args.at("rounds").as<std::int64_t>()));
      for (std::uint64_t i = 0; i <= max_index; ++i) ours.push_back(shuffle(i));
    } else if (kind == "rows") {
      for (const Value& row : wanted.as<List>()) {
        const auto columns = unsigned_list(row);
        const kd::data::IndexShuffle shuffle(columns.at(1),
                                             static_cast<std::uint32_t>(columns.at(2)),
                                             static_cast<int>(columns.at(3)));
        auto& given = row.as<List>();
        ours.push_back(
            List{given[0], given[1], given[2], given[3], std::to_string(shuffle(columns.at(0)))});
      }
    } else {
      problems.push_back("the runner does not know the output " + kind);
      continue;
    }
    expect_same(problems, kind, ours, wanted);
  }
  return problems;
}

}  // namespace golden
