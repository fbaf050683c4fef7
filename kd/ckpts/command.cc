// What `kd ckpt` does.
#include "kd/ckpts/command.h"

#include <ATen/ops/full.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/std.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

#include "base/join.h"
#include "kd/ckpts/engine/convert.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/ckpts/files_impl.h"
#include "kd/core/dtype_name.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "konfig/json.h"

namespace kd::ckpts {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

using Row = std::vector<std::string>;

// Columns apart by two spaces.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string number_text(double x) {
  char out[32];
  std::snprintf(out, sizeof out, "%.4g", x);
  return out;
}

std::string size_text(std::uint64_t bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < std::size(units); ++unit) size /= 1000;
  return number_text(size) + " " + units[unit];
}

std::string time_text(double seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  char out[32] = "";
  std::tm parts;
  if (::localtime_r(&time, &parts)) std::strftime(out, sizeof out, "%F %T", &parts);
  return out;
}

std::uint64_t folder_size(const fs::path& folder) {
  std::uint64_t out = 0;
  for (auto& entry : fs::directory_iterator(folder)) out += entry.file_size();
  return out;
}

// A workdir's checkpoint, a checkpoint's folder, or a file.
Snapshot load(const std::string& source, std::optional<std::int64_t> step) {
  if (!fs::exists(source)) throw Error(ErrorKind::key, source + ": does not exist");
  if (fs::is_regular_file(source)) return {.state = from_names(io::load_safetensors(source))};
  if (fs::exists(fs::path(source) / kManifest)) return read_checkpoint(source);
  if (is_orbax(source)) return {.state = from_orbax(source)};
  Manager manager(Checkpointer{.save_interval_steps = 1}, source, /*read_only=*/true);
  return manager.restore(step);
}

std::string list_of(const fs::path& workdir) {
  Manager manager(Checkpointer{.save_interval_steps = 1}, workdir, /*read_only=*/true);
  std::vector<Row> rows = {{"STEP", "SAVED", "SIZE", "STATE"}};
  for (std::int64_t step : manager.all_steps()) {
    const fs::path folder = manager.place_of(step);
    std::string state = "good", time;
    try {
      time = time_text(read_info(folder).time);
      read_checkpoint(folder);
    } catch (const Error& error) {
      state = error.what();
    }
    rows.push_back({std::to_string(step), time, size_text(folder_size(folder)), state});
  }
  return table(rows);
}

}  // namespace

std::string show_checkpoint(const ShowOptions& options) {
  std::string out;
  if (!fs::exists(options.source)) {
    throw Error(ErrorKind::value, options.source + ": there is no such file or folder");
  }
  const bool workdir = fs::is_directory(options.source) &&
                       !fs::exists(fs::path(options.source) / kManifest) &&
                       !is_orbax(options.source);
  const bool newest = workdir && !options.step;
  if (newest) out += list_of(options.source) + "\n";
  Snapshot snapshot;
  try {
    snapshot = load(options.source, options.step);
  } catch (const Error& error) {
    if (!newest) throw;
    return out + error.what() + "\n";
  }
  std::vector<Row> rows = {{"PATH", "TYPE", "MEAN", "STD", "MIN", "MAX"}};
  for (auto& [path, tensor] : flatten(snapshot.state)) {
    if (tensor.numel() == 0) {
      rows.push_back({path, spec_text(tensor), "", "", "", ""});
      continue;
    }
    const Tensor values = tensor.to(at::kDouble);
    const bool one = tensor.numel() == 1;
    rows.push_back({path, spec_text(tensor), number_text(values.mean().item<double>()),
                    one ? "" : number_text(at::std(values, false).item<double>()),
                    one ? "" : number_text(values.min().item<double>()),
                    one ? "" : number_text(values.max().item<double>())});
  }
  out += table(rows);
  const Tree* params = snapshot.state.has_names() ? snapshot.state.find("params") : nullptr;
  if (params) out += "parameters: " + std::to_string(count(*params)) + "\n";
  out += "in all: " + std::to_string(count(snapshot.state)) + " numbers, " +
         size_text(static_cast<std::uint64_t>(byte_size(snapshot.state))) + "\n";
  for (auto& [name, value] : snapshot.items) {
    out += name + ": " + konfig::to_json(value) + "\n";
  }
  return out;
}

Diff diff_checkpoints(const DiffOptions& options) {
  const Snapshot a = load(options.a, options.a_step), b = load(options.b, options.b_step);
  std::map<std::string, Tensor> others;
  for (auto& [path, tensor] : flatten(b.state)) others.emplace(path, tensor);
  Diff out{.equal = true};
  std::vector<Row> rows = {{"PATH", "A", "B", "LARGEST", "MEAN"}};
  auto differs = [&](const std::string& path, const std::string& in_a, const std::string& in_b,
                     const std::string& largest = "", const std::string& mean = "") {
    out.equal = false;
    rows.push_back({path, in_a, in_b, largest, mean});
  };
  std::size_t same = 0;
  for (auto& [path, x] : flatten(a.state)) {
    auto found = others.find(path);
    if (found == others.end()) {
      differs(path, spec_text(x), "-");
      continue;
    }
    const Tensor y = found->second;
    others.erase(found);
    if (x.sizes() != y.sizes() || x.scalar_type() != y.scalar_type()) {
      differs(path, spec_text(x), spec_text(y));
      continue;
    }
    const Tensor distance = (x.to(at::kDouble) - y.to(at::kDouble)).abs();
    const double largest = x.numel() == 0 ? 0 : distance.max().item<double>();
    if (x.equal(y) || largest <= options.tolerance) {
      ++same;
    } else {
      differs(path, spec_text(x), spec_text(y), number_text(largest),
              number_text(distance.mean().item<double>()));
    }
  }
  for (auto& [path, y] : others) differs(path, "-", spec_text(y));
  if (!out.equal) out.text = table(rows);
  out.text += std::to_string(same) + " of " + std::to_string(same + rows.size() - 1) +
              " tensors are equal\n";
  return out;
}

namespace {

// Of a train state; 0 of parameters alone.
std::int64_t step_in(const Tree& tree) {
  const Tree* step = tree.has_names() && tree.contains("params") ? tree.find("step") : nullptr;
  const bool known = step && step->is_tensor() && step->tensor().numel() == 1;
  return known ? step->tensor().item<std::int64_t>() : 0;
}

// {"params": ...} with what else a train state has.
Tree as_state(Tree tree, std::int64_t step) {
  const bool whole = tree.has_names() && tree.contains("params");
  Tree out = Tree::dict({{"step", Tree(at::full({}, step, at::kInt))},
                         {"params", whole ? tree["params"] : tree},
                         {"collections", Tree::dict()},
                         {"opt_state", Tree()}});
  for (std::size_t i = 0; whole && i < tree.size(); ++i) {
    const std::string& name = tree.name(i);
    if (name == "params" || name == "step") continue;
    if (name == "collections" || name == "opt_state") {
      out[name] = tree.child(i);
    } else {
      out["collections"][name] = tree.child(i);  // batch_stats, as Flax calls them
    }
  }
  return out;
}

}  // namespace

std::string import_checkpoint(const ImportOptions& options) {
  const std::string& source = options.source;
  if (!fs::exists(source)) throw Error(ErrorKind::key, source + ": does not exist");
  Tree tree;
  if (source.ends_with(".safetensors")) {
    const io::TensorMap tensors = io::load_safetensors(source);
    tree = options.keep_names ? from_names(tensors) : from_torch(tensors);
  } else if (source.ends_with(".msgpack")) {
    tree = from_flax(read_file(source), source);
  } else if (fs::is_directory(source)) {
    tree = from_orbax(source);
  } else {
    throw Error(ErrorKind::value,
                source +
                    ": expected a .safetensors or .msgpack file, or the folder of a checkpoint of "
                    "Kauldron; PyTorch writes a file with "
                    "safetensors.torch.save_file(model.state_dict(), \"model.safetensors\")");
  }
  const std::int64_t step = options.step.value_or(step_in(tree));
  Manager manager(Checkpointer{.save_interval_steps = 1, .max_to_keep = {}}, options.workdir);
  const Tree state = as_state(std::move(tree), step);
  manager.save(step, {.state = state});
  manager.wait_until_finished();
  return manager.place_of(step) + ": " + std::to_string(flatten(state["params"]).size()) +
         " parameters of " + std::to_string(count(state["params"])) + " numbers\n";
}

}  // namespace kd::ckpts
