// What the shipped classes make of the golden cases about them, as JSON. A program of its own:
// golden.tfimm registers classes of the same names, as its cases describe them.
//   golden_tfimm_shipped < cases.json > outputs.json
#include <iostream>
#include <iterator>

#include "kd/optim/schedule.h"
#include "kd/problems/optimizer_factory.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/konfig.h"
#include "konfig/registry.h"
#include "tfimm/train/train.h"

namespace {

namespace train = tfimm::train;
using kd::problems::Timekeeping;
using konfig::Dict;
using konfig::List;
using konfig::Value;

Value encoded(const Value& value) {
  auto* tuple = value.get_if<konfig::Tuple>();
  if (!tuple) return value;
  List items;
  for (const Value& item : *tuple) items.push_back(encoded(item));
  return Dict{{"$tuple", items}};
}

std::vector<const train::ClassEntry*> entries() {
  constexpr std::string_view kModule = "tfimm.train:";
  std::vector<const train::ClassEntry*> out;
  for (const konfig::Symbol* symbol : konfig::all_symbols()) {
    if (!symbol->qualname.starts_with(kModule)) continue;
    if (auto* entry = train::find_entry(symbol->qualname.substr(kModule.size()))) {
      out.push_back(entry);
    }
  }
  return out;
}

Dict described(const std::string& name) {
  const auto cls = name == "ExperimentConfig" ? train::describe<kd::problems::ExperimentConfig>()
                                              : train::get_cfg_class(name);
  List fields, registered, configures;
  for (const train::Field& field : cls->fields) {
    const Value missing = Dict{{"$missing", true}};
    fields.push_back(List{field.name, train::type_name(field),
                          field.default_value ? encoded(*field.default_value) : missing});
  }
  std::vector<std::string> names, classes;
  for (const train::ClassEntry* entry : entries()) {
    if (!entry->cfg_class || entry->cfg_class->name != name) continue;
    names.push_back(entry->name);
    if (entry->is_class) classes.push_back(entry->name);
  }
  std::ranges::sort(names);
  std::ranges::sort(classes);
  for (auto& one : names) registered.push_back(one);
  for (auto& one : classes) configures.push_back(one);
  return {{"fields", fields}, {"registered_as", registered}, {"configures", configures}};
}

template <class F>
Value result_of(const F& f) {
  try {
    return f();
  } catch (const konfig::Error& e) {
    return Dict{{"error", e.what()}};
  }
}

Timekeeping timekeeping_of(const List& numbers) {
  auto at = [&](std::size_t i) { return static_cast<int>(numbers[i].as<std::int64_t>()); };
  return {.nb_epochs = at(0), .batch_size = at(1), .nb_samples_per_epoch = at(2)};
}

Value decoded(const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (!dict) return value;
  if (const Value* items = dict->find("$tuple")) return *items;
  Dict out;
  for (auto& [key, item] : *dict) out.set(key, decoded(item));
  return out;
}

Value rates(const Dict& args) {
  const Timekeeping time = timekeeping_of(args.at("timekeeping").as<List>());
  const std::string& name = args.at("lr_schedule_class").as<std::string>();
  const kd::problems::OptimizerConfig cfg{
      .lr_schedule = train::Any::from_value(
          train::from_dict(train::get_cfg_class(name), decoded(args.at("lr_schedule")).as<Dict>())),
      .lr_schedule_class = name,
      .lr_warmup = static_cast<int>(args.at("lr_warmup").as<std::int64_t>())};
  const auto schedule = kd::problems::OptimizerFactory(cfg).lr_schedule(time);
  List out;
  for (std::int64_t step = 0; step < time.nb_steps() + 3; ++step) out.push_back(schedule(step));
  return out;
}

// None: the case is about something else.
Value outputs_of(const Dict& c) {
  const std::string& group = c.at("group").as<std::string>();
  const Dict& args = c.at("args").as<Dict>();
  if (group == "shipped_classes") {
    const std::string& api = c.at("api").as<std::string>();
    return described(api.substr(api.rfind('.') + 1));
  }
  if (group == "timekeeping") {
    const Timekeeping time = timekeeping_of(
        {args.at("nb_epochs"), args.at("batch_size"), args.at("nb_samples_per_epoch")});
    return Dict{
        {"nb_steps", result_of([&] { return Value(time.nb_steps()); })},
        {"nb_steps_per_epoch", result_of([&] { return Value(time.nb_steps_per_epoch()); })}};
  }
  if (group == "lr_schedule") {
    return Dict{{"lr_at_step", result_of([&] { return rates(args); })}};
  }
  return {};
}

}  // namespace

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const Value document = konfig::parse_json(text);
  Dict out;
  for (const Value& one : document.as<List>()) {
    const Dict& c = one.as<Dict>();
    const Value outputs = outputs_of(c);
    if (!outputs.is_none()) out.set(c.at("name"), outputs);
  }
  std::cout << konfig::to_json(out) << "\n";
}
