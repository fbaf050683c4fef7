// What a module's call may use.
#include "kd/nn/engine/scope.h"

#include <algorithm>

#include "base/join.h"
#include "base/shape_text.h"
#include "kd/nn/run_impl.h"
#include "konfig/error.h"
#include "konfig/suggest.h"
#include "kontext/get.h"

namespace kd::nn {

using detail::current_frame;
using detail::current_run;
using detail::Run;
using detail::Scope;
using konfig::Error;
using konfig::ErrorKind;

namespace {

[[noreturn]] void fail_no_param(std::string_view name, const Tree* there) {
  std::string message = "there is no parameter '" + std::string(name) + "'";
  if (there && there->has_names()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < there->size(); ++i) names.push_back(there->name(i));
    message += konfig::did_you_mean(name, names) + "; there are:";
    for (auto& n : names) message += " " + n;
  } else {
    message += ", nor any other of this module";
  }
  throw Error(ErrorKind::key, message + "; were the variables made by another model?");
}

const Tree* params_of(Run& run, Scope& scope) {
  if (!scope.params || run.is_mutable("params")) scope.params = run.find("params", scope);
  return scope.params;
}

}  // namespace

Tensor detail::find_or_make(std::string_view name, at::IntArrayRef shape, const MakeTensor& make) {
  Run& run = current_run();
  Scope& scope = *current_frame().scope;
  const Tree* there = params_of(run, scope);
  const Tree* found = there ? there->find(name) : nullptr;
  if (!found) {
    if (!run.is_mutable("params")) fail_no_param(name, there);
    Tensor value = make(make_rng("params"));
    run.make("params", scope)[name] = value;
    return value;
  }
  const Tensor& value = found->tensor();
  if (value.sizes() != shape) {
    throw Error(ErrorKind::value, "the parameter '" + std::string(name) + "' has shape " +
                                      base::tuple_text(value.sizes()) + ", this call needs " +
                                      base::tuple_text(shape));
  }
  return value;
}

Tensor param(std::string_view name, at::IntArrayRef shape, const Poly<Initializer>& initializer,
             at::ScalarType dtype) {
  return param(name, shape, [&](const random::Key& key) { return initializer(key, shape, dtype); });
}

Tensor Variable::get() const {
  const Tree* there = current_run().find(collection_, *current_frame().scope);
  if (!there) throw Error(ErrorKind::key, "there is no '" + collection_ + "." + name_ + "'");
  return there->at(name_).tensor();
}

void Variable::set(Tensor value) const {
  Run& run = current_run();
  if (!run.is_mutable(collection_)) {
    throw Error(ErrorKind::value, "'" + collection_ + "." + name_ +
                                      "' changes, but the collection is not mutable in this apply; "
                                      "give .mutable_collections = {\"" +
                                      collection_ + "\"}");
  }
  run.make(collection_, *current_frame().scope)[name_] = std::move(value);
}

Variable variable(std::string_view collection, std::string_view name,
                  const std::function<Tensor()>& make) {
  Run& run = current_run();
  Scope& scope = *current_frame().scope;
  const Tree* there = run.find(collection, scope);
  if (!there || !there->contains(name)) {
    if (!run.is_mutable(collection)) {
      throw Error(ErrorKind::key, "there is no '" + std::string(collection) + "." +
                                      std::string(name) +
                                      "' in the variables; were they made by another model?");
    }
    run.make(collection, scope)[name] = make();
  }
  return Variable(std::string(collection), std::string(name));
}

bool has_rng(std::string_view stream) {
  auto& rngs = current_run().rngs;
  return rngs.contains(std::string(stream));
}

random::Key make_rng(std::string_view stream) {
  Run& run = current_run();
  auto key = run.rngs.find(std::string(stream));
  if (key == run.rngs.end()) key = run.rngs.find("params");
  if (key == run.rngs.end()) {
    const std::string given = base::join(
        run.rngs, ", ", [](auto& stream) -> auto& { return stream.first; });
    throw Error(ErrorKind::key,
                "a random key of the stream '" + std::string(stream) +
                    "' is needed, but the streams given are: " + (given.empty() ? "none" : given));
  }
  Scope& scope = *current_frame().scope;
  auto draws = std::find_if(scope.draws.begin(), scope.draws.end(),
                            [&](auto& d) { return d.first == key->first; });
  if (draws == scope.draws.end()) draws = scope.draws.insert(draws, {key->first, 0});
  return random::fold_in_path(key->second, scope.key_path(), ++draws->second);
}

bool is_initializing() { return current_run().initializing; }
bool is_mutable(std::string_view collection) { return current_run().is_mutable(collection); }
std::string scope_path() { return current_frame().scope->path_text(); }

bool is_training() {
  Run* run = detail::current_run_or_null();
  if (!run) {
    throw Error(ErrorKind::value, "the train property is read outside of a module's call");
  }
  if (run->training.empty()) {
    throw Error(ErrorKind::value,
                "the train property is not set; give .is_training_property to init or apply");
  }
  return run->training.back();
}

namespace {
// A run that starts in the block ends in it, so both ends of the block find the same one.
std::vector<bool>& training_here() {
  Run* run = detail::current_run_or_null();
  return run ? run->training : detail::training_outside();
}
}  // namespace

set_train_property::set_train_property(bool is_training) { training_here().push_back(is_training); }
set_train_property::~set_train_property() { training_here().pop_back(); }

void sow(std::string_view name, kontext::TreeRef value) {
  sow(detail::kIntermediates, name, std::move(value));
}

void sow(std::string_view collection, std::string_view name, kontext::TreeRef value) {
  Run& run = current_run();
  if (!run.is_mutable(collection)) return;
  Interms* node = &run.sown_in(collection);
  for (auto& part : current_frame().scope->path()) node = &node->child(part);
  node->append(name, std::move(value));
}

namespace {
void need_intermediates() {
  if (!current_run().capture) {
    throw Error(ErrorKind::value,
                "intermediates are read, but not captured in this run; give "
                ".capture_intermediates = true");
  }
}
}  // namespace

IntermsProperty::Item::operator Tensor() const {
  need_intermediates();
  kontext::TreeRef node = current_run().sown_in(detail::kIntermediates);
  for (auto& part : current_frame().scope->path()) {
    node = node.child(kontext::Part(part));
    if (!node) throw Error(ErrorKind::key, "no intermediate '" + name + "' was set yet");
  }
  return kontext::get_by_path(node, name + "[-1]").to<Tensor>();
}

kontext::TreeRef IntermsProperty::get_by_path(std::string_view path) const {
  need_intermediates();
  std::vector<std::string> from;
  if (path.starts_with('.')) {
    from = current_frame().scope->path();
    path.remove_prefix(1);
    while (path.starts_with('.')) {
      if (from.empty()) {
        throw Error(ErrorKind::value, "the path leads above the outermost module");
      }
      from.pop_back();
      path.remove_prefix(1);
    }
  }
  kontext::Path full;
  for (auto& part : from) full = std::move(full) / kontext::Part(part);
  return kontext::get_by_path(current_run().sown_in(detail::kIntermediates),
                              full / kontext::Path::parse(path));
}

}  // namespace kd::nn
