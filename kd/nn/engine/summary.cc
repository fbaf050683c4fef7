// The calls of a model's modules as a table.
#include "kd/nn/engine/summary.h"

#include <algorithm>

#include "base/join.h"
#include "kd/core/dtype_name.h"
#include "kd/nn/engine/table_impl.h"
#include "kd/nn/module/arguments.h"
#include "kd/nn/run_impl.h"
#include "konfig/error.h"

namespace kd::nn {

namespace {

using Path = std::vector<std::string>;

thread_local CallList* list_of_thread = nullptr;

constexpr const char* kNone = "None";

std::string spec_text(const Tensor& tensor) {
  if (!tensor.defined()) return kNone;
  return kd::spec_text(tensor);
}

// "float32[2 3]", "{image: float32[2 3]}"; of what is no tensor, its type.
std::string spec_text(const kontext::TreeRef& tree) {
  if (!tree || tree.shape() == kontext::Shape::none) return kNone;
  if (auto* tensor = tree.get_if<at::Tensor>()) return spec_text(*tensor);
  if (!tree.is_container()) return std::string(tree.type_name());
  const bool list = tree.shape() == kontext::Shape::list || tree.shape() == kontext::Shape::tuple;
  std::vector<std::string> parts;
  tree.each([&](const kontext::Part& part, const kontext::TreeRef& child) {
    const bool named = !list && part.text();
    parts.push_back((named ? *part.text() + ": " : "") + spec_text(child));
    return false;
  });
  const std::string out = base::join(parts, ", ");
  return list ? "(" + out + ")" : "{" + out + "}";
}

// Without what was not given, such as a mask.
std::string spec_text(const Arguments& args) {
  std::vector<std::string> parts;
  auto add = [&](const std::string& name, const kontext::TreeRef& value) {
    const std::string text = spec_text(value);
    if (text != kNone) parts.push_back(name + text);
  };
  for (auto& value : args.positional) add("", value);
  for (auto& [name, value] : args.keywords) add(name + "=", value);
  return base::join(parts, ", ");
}

}  // namespace

CallList::CallList() : outer_(list_of_thread) {
  list_of_thread = this;
  detail::listing_calls = true;
}

CallList::~CallList() {
  list_of_thread = outer_;
  detail::listing_calls = outer_ != nullptr;
}

std::size_t CallList::add(ListedCall call) {
  auto [it, is_new] = places_.try_emplace({call.path, call.module}, calls_.size() + 1);
  if (is_new) {
    calls_.push_back(std::move(call));
  } else {
    ++calls_[it->second - 1].calls;
  }
  return it->second;
}

void CallList::set_outputs(std::size_t place, std::string outputs) {
  ListedCall& call = calls_.at(place - 1);
  if (call.outputs.empty()) call.outputs = std::move(outputs);
}

namespace detail {

void list_call(const Arguments& inputs) {
  Frame& frame = current_frame();
  // A module that lends its scope to one of its own kind, as kd's Dropout to Flax's, is one call.
  const Frame* parent = frame.parent;
  if (parent && parent->scope == frame.scope && parent->info.name == frame.info.name) {
    frame.listed = parent->listed;
    return;
  }
  frame.listed = list_of_thread->add({.path = frame.scope->path(),
                                      .module = std::string(frame.info.name),
                                      .inputs = spec_text(inputs)});
}

void list_output(const Frame& frame, const kontext::TreeRef& output) {
  if (list_of_thread) list_of_thread->set_outputs(frame.listed, spec_text(output));
}

}  // namespace detail

namespace {

struct Size {
  std::int64_t parameters = 0, bytes = 0;
};

// The rows that are shown, and how much each holds.
class Rows {
 public:
  Rows(const std::vector<ListedCall>& calls, std::size_t depth) {
    for (auto& call : calls) {
      if (call.path.size() > depth) continue;
      owners_.try_emplace(call.path, shown_.size());
      shown_.push_back({&call, {}});
    }
  }

  void add(const Tree& tree, Path& path) {
    if (tree.is_tensor()) {
      const Tensor& tensor = tree.tensor();
      total_.parameters += tensor.numel();
      total_.bytes += static_cast<std::int64_t>(tensor.nbytes());
      if (Size* size = owner(path)) {
        size->parameters += tensor.numel();
        size->bytes += static_cast<std::int64_t>(tensor.nbytes());
      }
      return;
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
      path.push_back(tree.has_names() ? tree.name(i) : std::to_string(i));
      add(tree.child(i), path);
      path.pop_back();
    }
  }

  std::string text() const;

 private:
  // Of the innermost shown module around the place.
  Size* owner(Path path) {
    for (;; path.pop_back()) {
      auto it = owners_.find(path);
      if (it != owners_.end()) return &shown_[it->second].second;
      if (path.empty()) return nullptr;
    }
  }

  std::vector<std::pair<const ListedCall*, Size>> shown_;
  std::map<Path, std::size_t> owners_;
  Size total_;
};

std::string shortened(std::string cell) {
  constexpr std::size_t kWidest = 56;
  if (cell.size() <= kWidest) return cell;
  cell.resize(kWidest - 3);
  cell += "...";
  return cell;
}

std::string Rows::text() const {
  const detail::Row header = {"path", "module", "inputs", "outputs", "parameters", "bytes"};
  std::vector<detail::Row> rows;
  for (auto& [call, size] : shown_) {
    const std::string path = base::join(call->path, ".");
    std::string module = call->module;
    if (call->calls > 1) module += " (" + std::to_string(call->calls) + " calls)";
    rows.push_back({path.empty() ? "." : path, module, shortened(call->inputs),
                    shortened(call->outputs), detail::with_commas(size.parameters),
                    detail::with_commas(size.bytes)});
  }
  rows.push_back({"total", "", "", "", detail::with_commas(total_.parameters),
                  detail::with_commas(total_.bytes)});
  const auto widths = detail::column_widths(header, rows);
  auto line = [&](const detail::Row& row) {
    std::string out;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      const bool number = i >= 4;
      out += (i == 0 ? "" : "  ") + (number ? space + row[i] : row[i] + space);
    }
    return out + "\n";
  };
  detail::Row rule;
  for (auto width : widths) rule.emplace_back(width, '-');
  std::string out = line(header) + line(rule);
  for (auto& row : rows) out += line(row);
  return out;
}

}  // namespace

std::string summary_text(const CallList& list, const Tree& params, const SummaryOptions& options) {
  if (options.depth && *options.depth < 0) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "depth: expected 0 or more, got " + std::to_string(*options.depth));
  }
  std::size_t deepest = 0;
  for (auto& call : list.calls()) deepest = std::max(deepest, call.path.size());
  std::size_t depth = options.depth
                          ? std::min<std::size_t>(static_cast<std::size_t>(*options.depth), deepest)
                          : deepest;
  auto too_long = [&] {
    const auto rows = std::ranges::count_if(
        list.calls(), [&](const ListedCall& call) { return call.path.size() <= depth; });
    return options.max_rows && static_cast<std::size_t>(rows) > *options.max_rows;
  };
  while (depth > 0 && too_long()) --depth;
  Rows rows(list.calls(), depth);
  Path path;
  rows.add(params, path);
  return rows.text();
}

}  // namespace kd::nn
