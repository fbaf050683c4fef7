// Traces, by the hooks that libtorch calls around each operation.
#include "kd/inspect/trace.h"

#include <ATen/record_function.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "kd/core/durable.h"
#include "konfig/error.h"
#include "konfig/json.h"

namespace kd::inspect {

namespace {

using Time = std::chrono::steady_clock;

struct Span {
  std::string name;
  Time::time_point begin, end;
  long thread;
};

struct Spans {
  std::mutex mutex;
  Time::time_point start;
  std::vector<Span> all;
  std::vector<std::pair<std::int64_t, Time::time_point>> steps;
  bool active = false;
};

Spans& spans() {
  static Spans one;
  return one;
}

struct Begin : at::ObserverContext {
  Time::time_point time = Time::now();
};

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction&) {
  return std::make_unique<Begin>();
}

void on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  if (!context) return;
  const auto now = Time::now();
  static thread_local const long thread = ::syscall(SYS_gettid);
  const std::lock_guard lock(spans().mutex);
  spans().all.push_back({function.name(), static_cast<Begin*>(context)->time, now, thread});
}

double micros(Time::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

std::string event_text(const std::string& name, double begin, double length, long thread) {
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, "\"ts\": %.3f, \"dur\": %.3f, \"pid\": %d, \"tid\": %ld",
                begin, length, static_cast<int>(::getpid()), thread);
  return "{\"ph\": \"X\", \"name\": " + konfig::to_json(name) + ", " + numbers + "}";
}

}  // namespace

Recording::Recording() {
  {
    const std::lock_guard lock(spans().mutex);
    if (spans().active) {
      throw konfig::Error(konfig::ErrorKind::unsupported, "a trace is being recorded already");
    }
    spans().active = true;
    spans().start = Time::now();
    spans().all.clear();
    spans().steps.clear();
  }
  handle_ = at::addGlobalCallback(at::RecordFunctionCallback(on_begin, on_end));
}

Recording::~Recording() {
  if (handle_ != 0) at::removeCallback(handle_);
  const std::lock_guard lock(spans().mutex);
  spans().active = false;
  spans().all.clear();
}

void Recording::mark_step(std::int64_t step) {
  const std::lock_guard lock(spans().mutex);
  spans().steps.emplace_back(step, Time::now());
}

void Recording::finish(const std::filesystem::path& file) {
  at::removeCallback(handle_);
  handle_ = 0;
  const auto now = Time::now();
  const std::lock_guard lock(spans().mutex);
  const Spans& s = spans();
  std::string out = "{\"traceEvents\": [\n";
  // Steps stand in a row of their own, thread 0.
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    const auto end = i + 1 < s.steps.size() ? s.steps[i + 1].second : now;
    out += event_text("step " + std::to_string(s.steps[i].first),
                      micros(s.steps[i].second - s.start), micros(end - s.steps[i].second), 0) +
           ",\n";
  }
  for (const Span& span : s.all) {
    out += event_text(span.name, micros(span.begin - s.start), micros(span.end - span.begin),
                      span.thread) +
           ",\n";
  }
  out += "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": " + std::to_string(::getpid()) +
         ", \"tid\": 0, \"args\": {\"name\": \"steps\"}}\n]}\n";
  std::filesystem::create_directories(file.parent_path());
  replace_file(file, out);
}

namespace {

class TraceRun final : public ProfilerRun {
 public:
  TraceRun(const Profiler& options, std::filesystem::path folder)
      : options_(options), folder_(std::move(folder)) {}

  void step(std::int64_t step) override {
    if (recording_) {
      const auto length = Time::now() - began_;
      if (step - first_ + 1 >= options_.num_profile_steps &&
          length >= std::chrono::milliseconds(options_.profile_duration_ms.value_or(0))) {
        recording_->finish(
            folder_ / ("steps_" + std::to_string(first_) + "_" + std::to_string(step) + ".json"));
        recording_.reset();
        finished_ = Time::now();
      } else {
        recording_->mark_step(step + 1);
      }
    } else if (is_due(step)) {
      recording_ = std::make_unique<Recording>();
      recording_->mark_step(step + 1);
      first_ = step + 1;
      began_ = Time::now();
    }
  }

 private:
  bool is_due(std::int64_t step) const {
    if (options_.first_profile && step == *options_.first_profile) return true;
    const auto& every = options_.every_steps;
    if (every && step % *every == 0) return true;
    return options_.every_secs &&
           Time::now() - finished_ >= std::chrono::duration<double>(*options_.every_secs);
  }

  Profiler options_;
  std::filesystem::path folder_;
  std::unique_ptr<Recording> recording_;
  std::int64_t first_ = 0;  // step of the trace under way
  Time::time_point began_, finished_ = Time::now();
};

}  // namespace

namespace {

void check(const Profiler& profiler) {
  auto at_least = [](int least, const char* field, const std::optional<int>& value) {
    if (!value || *value >= least) return;
    throw konfig::Error(konfig::ErrorKind::value, field,
                        "expected a whole number of " + std::to_string(least) + " or more, got " +
                            std::to_string(*value));
  };
  at_least(1, "num_profile_steps", profiler.num_profile_steps);
  at_least(0, "profile_duration_ms", profiler.profile_duration_ms);
  at_least(0, "first_profile", profiler.first_profile);
  at_least(1, "every_steps", profiler.every_steps);
  if (profiler.every_secs && !(*profiler.every_secs > 0)) {
    throw konfig::Error(
        konfig::ErrorKind::value, "every_secs",
        "expected seconds above 0, got " + konfig::Value(*profiler.every_secs).repr());
  }
}

}  // namespace

std::unique_ptr<ProfilerRun> Profiler::open(const std::filesystem::path& run) const {
  check(*this);
  const std::filesystem::path own =
      workdir.is_given() && workdir.value() ? std::filesystem::path(*workdir.value()) : run;
  return std::make_unique<TraceRun>(*this, own / "profile");
}

std::unique_ptr<ProfilerRun> NoopProfiler::open(const std::filesystem::path&) const {
  return nullptr;
}

Tracer::Tracer(const Poly<ProfilerFn>& options, const std::filesystem::path& workdir) {
  if (options) run_ = ops_of(options).open(options.object().get(), workdir);
}

}  // namespace kd::inspect
