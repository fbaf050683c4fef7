// Times of steps and pauses.
#include "kd/train/chrono.h"

namespace kd::train {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

constexpr const char* kNames[] = {"checkpoint", "evals_along_train", "metrics_writing"};

double number(const Dict& dict, std::string_view name) {
  const Value* value = dict.find(name);
  if (!value) return 0;
  if (auto* whole = value->get_if<std::int64_t>()) return static_cast<double>(*whole);
  return value->is<double>() ? value->as<double>() : 0;
}

}  // namespace

Chrono::Chrono(std::optional<std::int64_t> batch_size)
    : batch_size_(batch_size), last_(Clock::now()) {}

Chrono::Pause::Pause(Chrono& chrono, int name)
    : chrono_(chrono), name_(name), begin_(Clock::now()) {}

Chrono::Pause::~Pause() {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  chrono_.paused_ += seconds;
  chrono_.pauses_[name_].seconds += seconds;
  chrono_.pauses_[name_].count += 1;
}

void Chrono::start() {
  last_ = Clock::now();
  paused_ = 0;
}

void Chrono::finish_step() {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  total_ += seconds;
  train_.seconds += seconds - paused_;
  train_.count += 1;
  start();
}

std::vector<std::pair<std::string, double>> Chrono::flush() {
  std::vector<std::pair<std::string, double>> out;
  auto add = [&](const std::string& name, double value) {
    out.emplace_back("perf_stats/" + name, value);
  };
  const double steps = static_cast<double>(train_.count);
  const double per_second = train_.seconds > 0 ? steps / train_.seconds : 0;
  add("steps_per_sec", per_second);
  add("total_training_time_hours", total_ / 3600);
  if (batch_size_) {
    add("data_points_per_sec_global", per_second * static_cast<double>(*batch_size_));
    add("data_points_per_sec_per_device", per_second * static_cast<double>(*batch_size_));
  }
  if (train_.count > 0) add("train/avg_time_sec", train_.seconds / steps);
  for (int i = 0; i < kPauses; ++i) {
    if (pauses_[i].count == 0) continue;
    add(std::string(kNames[i]) + "/avg_time_sec",
        pauses_[i].seconds / static_cast<double>(pauses_[i].count));
    pauses_[i] = {};
  }
  train_ = {};
  return out;
}

Value Chrono::to_value() const {
  Dict since;
  auto add = [&](const char* name, const Timer& timer) {
    since.set(name, Dict{{"seconds", timer.seconds}, {"count", timer.count}});
  };
  add("train", train_);
  List pauses;
  for (int i = 0; i < kPauses; ++i) {
    add(kNames[i], pauses_[i]);
    pauses.push_back(kNames[i]);
  }
  return Dict{{"name", "train"},       {"batch_size", batch_size_ ? Value(*batch_size_) : Value()},
              {"pause_names", pauses}, {"_global_total_time", total_},
              {"_start_time", 0.0},    {"chrono_since_last_flush", since}};
}

void Chrono::restore(const Value& value) {
  auto* dict = value.get_if<Dict>();
  if (!dict) return;
  total_ = number(*dict, "_global_total_time");
  if (auto* size = dict->find("batch_size"); size && size->is<std::int64_t>()) {
    batch_size_ = size->as<std::int64_t>();
  }
  auto* found = dict->find("chrono_since_last_flush");
  auto* since = found ? found->get_if<Dict>() : nullptr;
  if (!since) return;
  auto read = [&](const char* name, Timer& timer) {
    auto* entry = since->find(name);
    auto* fields = entry ? entry->get_if<Dict>() : nullptr;
    if (!fields) return;
    timer.seconds = number(*fields, "seconds");
    timer.count = static_cast<std::int64_t>(number(*fields, "count"));
  };
  read("train", train_);
  for (int i = 0; i < kPauses; ++i) read(kNames[i], pauses_[i]);
}

}  // namespace kd::train
