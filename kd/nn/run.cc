// One init or apply: its variables, streams and recorded values.
#include <algorithm>

#include "base/join.h"
#include "kd/nn/run_impl.h"
#include "konfig/error.h"

namespace kd::nn::detail {

using konfig::Error;
using konfig::ErrorKind;

namespace {
thread_local Run* run_of_thread = nullptr;
}

Run& current_run() {
  if (!run_of_thread) {
    throw Error(
        ErrorKind::value,
        "a module is called outside of init and apply; use model.init({.rngs = ...}, x) and "
        "model.apply(variables, {}, x)");
  }
  return *run_of_thread;
}

Run* current_run_or_null() { return run_of_thread; }
void set_current_run(Run* run) { run_of_thread = run; }

std::vector<bool>& training_outside() {
  static thread_local std::vector<bool> values;
  return values;
}

Frame& current_frame() {
  Run& run = current_run();
  if (!run.frame) throw Error(ErrorKind::value, "used outside of a module's call");
  return *run.frame;
}

Scope& Scope::child(std::string_view child_name) {
  for (auto& c : children) {
    if (c->name == child_name) return *c;
  }
  children.push_back(std::make_unique<Scope>());
  children.back()->parent = this;
  children.back()->name = child_name;
  return *children.back();
}

std::vector<std::string> Scope::path() const {
  std::vector<std::string> out;
  for (const Scope* s = this; s->parent; s = s->parent) out.push_back(s->name);
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::string> Scope::key_path() const {
  std::vector<std::string> out;
  for (const Scope* s = this; s->parent; s = s->parent) {
    out.push_back(s->name);
    if (!s->key_prefix.empty()) out.push_back(s->key_prefix);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::string Scope::path_text() const { return base::join(path(), "."); }

bool Run::is_mutable(std::string_view collection) const {
  if (collection == kIntermediates) return capture;
  if (initializing) return true;
  return std::any_of(mutable_collections.begin(), mutable_collections.end(),
                     [&](auto& name) { return name == "*" || name == collection; });
}

Interms& Run::sown_in(std::string_view collection) {
  for (auto& [name, values] : sown) {
    if (name == collection) return values;
  }
  return sown.emplace_back(collection, Interms()).second;
}

namespace {

const Tree* descend(const Tree* tree, const Scope& scope) {
  if (!scope.parent) return tree;
  const Tree* above = descend(tree, *scope.parent);
  return above ? above->find(scope.name) : nullptr;
}

Tree& descend_making(Tree& tree, const Scope& scope) {
  return scope.parent ? descend_making(tree, *scope.parent)[scope.name] : tree;
}

}  // namespace

const Tree* Run::find(std::string_view collection, const Scope& scope) const {
  const Tree* tree = variables.find(collection);
  if (!tree && given) tree = given->find(collection);
  return tree ? descend(tree, scope) : nullptr;
}

Tree& Run::make(std::string_view collection, const Scope& scope) {
  return descend_making(variables[collection], scope);
}

RunGuard::RunGuard(bool initializing, const Tree& variables, const With& with)
    : run_(std::make_unique<Run>()) {
  Run* outer = current_run_or_null();
  if (outer && with.is_training_property) {
    throw Error(
        ErrorKind::value,
        "is_training_property is given to an init or apply inside another one; the outer one "
        "decides, or nn::set_train_property for a block");
  }
  run_->initializing = initializing;
  run_->given = &variables;
  run_->rngs = with.rngs;
  run_->mutable_collections = with.mutable_collections;
  run_->capture = with.capture_intermediates;
  if (with.is_training_property) {
    run_->training.push_back(*with.is_training_property);
  } else {
    run_->training = outer ? outer->training : training_outside();
  }
  for (std::size_t i = 0; variables.has_names() && i < variables.size(); ++i) {
    const std::string& name = variables.name(i);
    if (run_->is_mutable(name)) run_->variables[name] = variables.child(i);
  }
  run_->outer = outer;
  set_current_run(run_.get());
}

RunGuard::~RunGuard() { set_current_run(run_->outer); }

Tree RunGuard::take_variables() {
  if (run_->variables.is_none()) run_->variables = Tree::dict();
  return std::move(run_->variables);
}

Tree RunGuard::take_changed() { return take_variables(); }

Interms RunGuard::take_interms() {
  return run_->capture ? take_sown(std::string(kIntermediates)) : Interms();
}
Interms RunGuard::take_sown(const std::string& collection) {
  return std::move(run_->sown_in(collection));
}

}  // namespace kd::nn::detail
