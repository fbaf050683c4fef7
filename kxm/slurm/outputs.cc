// Reading what Slurm's programs print.
#include "kxm/slurm/outputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_in.h"
#include "konfig/error.h"

namespace kxm::slurm {

using konfig::Error;
using konfig::ErrorKind;

namespace {

[[noreturn]] void malformed(std::string_view program, std::string_view line) {
  throw Error(ErrorKind::value, std::string(program) + ": cannot read its output line '" +
                                    std::string(line.substr(0, 200)) + "'");
}

template <class Each>
void for_each_line(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (!line.empty()) each(line);
  }
}

// The first fields between '|' and, as the last one, the rest.
template <std::size_t N>
std::optional<std::array<std::string_view, N>> split(std::string_view line) {
  std::array<std::string_view, N> out;
  for (std::size_t i = 0; i + 1 < N; ++i) {
    const auto end = line.find('|');
    if (end == line.npos) return std::nullopt;
    out[i] = line.substr(0, end);
    line.remove_prefix(end + 1);
  }
  out[N - 1] = line;
  return out;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

// "1:9" is exit code 1, signal 9.
bool read_exit(std::string_view text, Task& task) {
  const auto colon = text.find(':');
  const auto code = base::number_in<int>(text.substr(0, colon));
  const auto signal = base::number_in<int>(colon == text.npos ? "0" : text.substr(colon + 1));
  if (!code || !signal) return false;
  task.exit_code = *code;
  task.signal = *signal;
  return true;
}

double seconds_in(std::string_view text) { return base::number_in<double>(text).value_or(0); }

// The value of " name=" in a line of scontrol; values end at the next space.
std::optional<std::string_view> field(std::string_view line, std::string_view name) {
  std::size_t from = 0;
  for (;;) {
    const auto at = line.find(name, from);
    if (at == line.npos) return std::nullopt;
    const auto value = at + name.size();
    const bool starts = at == 0 || line[at - 1] == ' ';
    if (starts && value < line.size() && line[value] == '=')
      return first_word(line.substr(value + 1));
    from = at + 1;
  }
}

}  // namespace

std::vector<Task> parse_queue(std::string_view text) {
  // A line is complete or not there: what was cut off would look like a job that is gone.
  if (!text.empty() && text.back() != '\n') malformed("squeue", text.substr(text.rfind('\n') + 1));
  std::vector<Task> out;
  for_each_line(text, [&](std::string_view line) {
    const auto fields = split<8>(line);
    const auto id = fields ? base::number_in<std::int64_t>((*fields)[0]) : std::nullopt;
    const auto array = fields ? base::number_in<std::int64_t>((*fields)[1]) : std::nullopt;
    if (!id || !array)
      return;  // the rest of a comment with line breaks, of a job of the user's own
    out.push_back({.array = *array,
                   .index = base::number_in<int>((*fields)[2]).value_or(-1),
                   .state = std::string((*fields)[3]),
                   .reason = std::string((*fields)[5]),
                   .node = std::string((*fields)[6]),
                   .left = std::string((*fields)[4]),
                   .comment = std::string((*fields)[7])});
  });
  return out;
}

std::vector<Task> parse_accounts(std::string_view text) {
  std::vector<Task> out;
  for_each_line(text, [&](std::string_view line) {
    const auto fields = split<7>(line);
    if (!fields) malformed("sacct", line);
    const auto [id, state, exit, node, start, end, comment] = *fields;
    const auto bar = id.find('_');
    const auto array = base::number_in<std::int64_t>(id.substr(0, bar));
    if (!array) malformed("sacct", line);
    Task task = {.array = *array,
                 .state = std::string(first_word(state)),  // "CANCELLED by 1000"
                 .node = node == "None assigned" ? "" : std::string(node),
                 .comment = std::string(comment),
                 .started = seconds_in(start),
                 .ended = seconds_in(end)};
    if (!read_exit(exit, task)) malformed("sacct", line);
    std::string_view index = bar == id.npos ? "" : id.substr(bar + 1);
    if (!index.starts_with('[')) {
      task.index = base::number_in<int>(index).value_or(-1);
      out.push_back(std::move(task));
      return;
    }
    // "12_[4-9%2]": tasks that wait. A list that sacct cut short ends in "...": no answer for
    // those.
    index = index.substr(1, index.find(']') - 1);
    if (index.ends_with("...")) index = index.substr(0, std::min(index.rfind(','), index.size()));
    if (index.empty() || index.ends_with("...")) return;
    for (const int i : parse_indices(index)) {
      task.index = i;
      out.push_back(task);
    }
  });
  return out;
}

std::vector<Task> parse_jobs(std::string_view text) {
  std::vector<Task> out;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with("No jobs in the system")) return;
    const auto id = field(line, "JobId");
    const auto number = base::number_in<std::int64_t>(id.value_or(""));
    const auto state = field(line, "JobState");
    if (!number || !state) malformed("scontrol", line);
    Task task = {.array = *number, .state = std::string(*state)};
    if (const auto array = field(line, "ArrayJobId")) {
      task.array = base::number_in<std::int64_t>(*array).value_or(*number);
    }
    const auto given = [&](std::string_view name) {
      const auto value = field(line, name).value_or("");
      return std::string(value == "(null)" || value == "None" ? "" : value);
    };
    task.reason = given("Reason");
    task.node = given("NodeList");
    task.comment = given("Comment");
    task.restarts = base::number_in<int>(given("Restarts")).value_or(0);
    task.started = seconds_in(given("StartTime"));
    task.ended = seconds_in(given("EndTime"));
    if (const auto exit = field(line, "ExitCode"); exit && !read_exit(*exit, task)) {
      malformed("scontrol", line);
    }
    const auto indices = field(line, "ArrayTaskId");
    // 4294967294 stands for the tasks of an array that was cancelled before they got numbers.
    if (!indices || base::number_in<std::int64_t>(*indices).value_or(0) > 1 << 30) {
      out.push_back(std::move(task));
      return;
    }
    for (const int i : parse_indices(*indices)) {
      task.index = i;
      out.push_back(task);
    }
  });
  return out;
}

std::vector<Nodes> parse_nodes(std::string_view text) {
  std::vector<Nodes> out;
  for_each_line(text, [&](std::string_view line) {
    const auto fields = split<7>(line);
    if (!fields) malformed("sinfo", line);
    const auto [partition, cpus, memory, gres, limit, count, state] = *fields;
    const auto amount = [&](std::string_view digits) {
      // "4+" where the nodes of a line differ.
      if (digits.ends_with('+')) digits.remove_suffix(1);
      const auto value = base::number_in<std::int64_t>(digits);
      if (!value || *value < 0 || *value > std::int64_t{1} << 40) malformed("sinfo", line);
      return *value;
    };
    out.push_back({.partition = std::string(partition),
                   .cpus = static_cast<int>(std::min<std::int64_t>(amount(cpus), 1 << 30)),
                   .memory = amount(memory) << 20,
                   .gres = gres == "(null)" ? "" : std::string(gres),
                   .seconds = parse_duration(limit),
                   .count = static_cast<int>(std::min<std::int64_t>(amount(count), 1 << 30)),
                   .state = std::string(state)});
  });
  return out;
}

int Nodes::gpus(std::string_view type) const {
  std::int64_t out = 0;
  std::string_view rest = gres;
  while (!rest.empty()) {
    // Commas also separate inside of "(S:0,1)".
    std::size_t end = 0;
    for (int depth = 0; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
      if (rest[end] == '(') ++depth;
      if (rest[end] == ')' && depth > 0) --depth;
    }
    std::string_view item = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    item = item.substr(0, item.find('('));
    if (item != "gpu" && !item.starts_with("gpu:")) continue;
    // "gpu", "gpu:4", "gpu:a100:4"
    const auto last = item.rfind(':');
    const auto count =
        last == item.npos ? 1 : base::number_in<std::int64_t>(item.substr(last + 1)).value_or(1);
    const auto first = item.find(':');
    const std::string_view its_type =
        first == item.npos || first == last ? "" : item.substr(first + 1, last - first - 1);
    if (count > 0 && count < 1 << 20 && (type.empty() || its_type == type)) out += count;
  }
  return static_cast<int>(std::min<std::int64_t>(out, 1 << 30));
}

std::optional<std::string> config_value(std::string_view text, std::string_view name) {
  std::optional<std::string> out;
  for_each_line(text, [&](std::string_view line) {
    if (out || !line.starts_with(name)) return;
    const std::string_view rest = line.substr(name.size());
    const auto equals = rest.find_first_not_of(' ');
    if (equals == rest.npos || rest[equals] != '=') return;
    const auto value = rest.find_first_not_of(' ', equals + 1);
    out = value == rest.npos ? "" : std::string(rest.substr(value));
  });
  return out;
}

std::optional<std::int64_t> parse_submitted(std::string_view text) {
  std::optional<std::int64_t> out;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    const auto number = base::number_in<std::int64_t>(line.substr(0, line.find(';')));
    if (number && *number > 0) out = number;
    text.remove_prefix(end + 1);
  }
  return out;
}

std::vector<int> parse_indices(std::string_view text, std::size_t longest) {
  const auto wrong = [&] {
    throw Error(ErrorKind::value,
                "'" + std::string(text.substr(0, 200)) + "' does not list the tasks of an array");
  };
  std::vector<int> out;
  std::string_view rest = text.substr(0, text.find('%'));
  if (rest.empty()) wrong();
  while (!rest.empty()) {
    const auto end = rest.find(',');
    std::string_view item = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    int step = 1;
    if (const auto colon = item.find(':'); colon != item.npos) {
      step = base::number_in<int>(item.substr(colon + 1)).value_or(0);
      item = item.substr(0, colon);
    }
    const auto dash = item.find('-');
    const auto first = base::number_in<int>(item.substr(0, dash));
    const auto last = dash == item.npos ? first : base::number_in<int>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || step < 1) wrong();
    const auto count = (static_cast<std::size_t>(*last) - static_cast<std::size_t>(*first)) /
                           static_cast<std::size_t>(step) +
                       1;
    if (count > longest - out.size()) wrong();
    for (std::size_t i = 0; i < count; ++i) out.push_back(*first + static_cast<int>(i) * step);
  }
  return out;
}

std::int64_t parse_duration(std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t days = 0;
  const auto dash = text.find('-');
  if (dash != text.npos) {
    days = base::number_in<std::int64_t>(text.substr(0, dash)).value_or(-1);
    if (days < 0 || days > kMost) return 0;
    text.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts;
  while (parts.size() < 4) {
    const auto end = text.find(':');
    const auto part = base::number_in<std::int64_t>(text.substr(0, end));
    if (!part || *part < 0 || *part > kMost) return 0;
    parts.push_back(*part);
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  if (parts.size() > 3) return 0;
  const std::int64_t day = days * 86400;
  // After a day the hours come first, otherwise a lone number is minutes.
  if (dash != text.npos || days > 0) {
    parts.resize(3);
    return day + parts[0] * 3600 + parts[1] * 60 + parts[2];
  }
  if (parts.size() == 1) return parts[0] * 60;
  if (parts.size() == 2) return parts[0] * 60 + parts[1];
  return parts[0] * 3600 + parts[1] * 60 + parts[2];
}

bool is_over(std::string_view state) {
  static constexpr std::array<std::string_view, 10> kOver = {
      "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  return std::find(kOver.begin(), kOver.end(), state) != kOver.end();
}

}  // namespace kxm::slurm
