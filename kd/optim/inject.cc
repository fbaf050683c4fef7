// Hyper-parameters in the state: the numbers of an optimizer's struct, found by reflection.
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <functional>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/wrappers.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"
#include "konfig/number.h"
#include "konfig/suggest.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Field;
using konfig::Kind;
using konfig::Type;

namespace {

// A number of the struct: as it is, in an optional, or as one of the forms of a Schedule.
struct Hyperparam {
  std::string name;
  const Type* type = nullptr;  // of the number itself; nullptr: a Schedule
  void* place = nullptr;
};

void visit_number(const std::string& name, const Type& type, void* place,
                  const std::function<void(const Hyperparam&)>& visit) {
  switch (type.kind) {
    case Kind::floating:
    case Kind::integer:
      return visit({name, &type, place});
    case Kind::optional:
    case Kind::required:
      if (void* inner = type.get(place)) visit_number(name, type.element(), inner, visit);
      return;
    case Kind::variant:
      if (type.is(konfig::type_of<Schedule>()) && !is_none(*static_cast<Schedule*>(place))) {
        visit({name, nullptr, place});
      }
      return;
    default:
      return;
  }
}

// A copy of the inner optimizer whose numbers may be changed.
class Inner {
 public:
  explicit Inner(const InjectHyperparams& t)
      : optimizer_(*t.inner_factory),
        type_(*optimizer_.type()),
        object_(konfig::clone_object(type_, optimizer_.object().get())) {
    std::vector<std::string> names;
    for (const Field& f : type_.fields) names.emplace_back(f.name);
    for (const std::string& name : t.static_args) check_name("static_args", name, names);
    for (auto& [name, schedule] : t.schedules) check_name("schedules", name, names);
    for (const Field& f : type_.fields) {
      const std::string name(f.name);
      const auto& fixed = t.static_args;
      if (std::find(fixed.begin(), fixed.end(), name) != fixed.end()) continue;
      visit_number(name, f.type(), konfig::detail::at_offset(object_.get(), f.offset),
                   [&](const Hyperparam& h) { hyperparams_.push_back(h); });
    }
    for (Hyperparam& h : hyperparams_) {
      if (auto* schedule = t.schedules.find(h.name)) {
        schedules_[h.name] = *schedule;
      } else if (!h.type && is_schedule(*static_cast<Schedule*>(h.place))) {
        schedules_[h.name] = std::get<Poly<ScheduleFn>>(*static_cast<Schedule*>(h.place));
      }
    }
  }

  const std::vector<Hyperparam>& hyperparams() const { return hyperparams_; }
  const konfig::Map<Poly<ScheduleFn>>& schedules() const { return schedules_; }

  static bool is_whole(const Hyperparam& h) { return h.type && h.type->kind == Kind::integer; }
  static double value(const Hyperparam& h) {
    if (!h.type) return std::get<double>(*static_cast<Schedule*>(h.place));
    if (is_whole(h))
      return static_cast<double>(static_cast<std::int64_t>(
          konfig::detail::read_whole(h.place, h.type->size, h.type->is_signed)));
    return konfig::detail::read_real(h.place, h.type->size);
  }
  static void set(const Hyperparam& h, double value) {
    if (!h.type) {
      *static_cast<Schedule*>(h.place) = value;
    } else if (is_whole(h)) {
      konfig::detail::write_whole(h.place, h.type->size,
                                  static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    } else {
      konfig::detail::write_real(h.place, h.type->size, value);
    }
  }

  Poly<Optimizer> optimizer() const {
    Poly<Optimizer> out;
    out.set_object(type_, object_);
    return out;
  }

 private:
  static void check_name(const char* where, const std::string& name,
                         const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    throw Error(ErrorKind::value, where,
                "the optimizer has no '" + name + "'" + konfig::did_you_mean(name, names));
  }

  const Poly<Optimizer>& optimizer_;
  const Type& type_;
  std::shared_ptr<void> object_;
  std::vector<Hyperparam> hyperparams_;
  konfig::Map<Poly<ScheduleFn>> schedules_;
};

at::ScalarType widest(const Tree& tree) {
  std::optional<at::ScalarType> out;
  each(tree, [&](const Tensor& t) {
    out = out ? c10::promoteTypes(*out, t.scalar_type()) : t.scalar_type();
  });
  return out.value_or(at::kFloat);
}

at::ScalarType dtype_of(const InjectHyperparams& t, const Tree& params) {
  return t.hyperparam_dtype ? scalar_type(*t.hyperparam_dtype) : widest(params);
}

Tree scalar(double value, at::ScalarType dtype) {
  return at::scalar_tensor(value, at::TensorOptions().dtype(dtype));
}

}  // namespace

Tree InjectHyperparams::init(const Tree& params) const {
  Inner inner(*this);
  const auto dtype = dtype_of(*this, params);
  Tree values = Tree::dict(), counts = Tree::dict();
  for (const Hyperparam& h : inner.hyperparams()) {
    if (auto* schedule = inner.schedules().find(h.name)) {
      counts[h.name] = Tree::record("WrappedScheduleState", {{"count", counter()}});
      values[h.name] = scalar((*schedule)(0), dtype);
    } else {
      values[h.name] = scalar(Inner::value(h), Inner::is_whole(h) ? at::kInt : dtype);
    }
    Inner::set(h, values[h.name].tensor().item<double>());
  }
  return Tree::record("InjectStatefulHyperparamsState",
                      {{"count", counter()},
                       {"hyperparams", values},
                       {"hyperparams_states", counts},
                       {"inner_state", init_inner(inner.optimizer(), params)}});
}

Update InjectHyperparams::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const char* type = "InjectStatefulHyperparamsState";
  const std::int32_t count = count_of(field(state, type, "count"));
  Inner inner(*this);
  const auto dtype = dtype_of(*this, params.is_none() ? grads : params);
  Tree values = state["hyperparams"], counts = state["hyperparams_states"];
  for (const Hyperparam& h : inner.hyperparams()) {
    if (auto* schedule = inner.schedules().find(h.name)) {
      const std::int32_t at = count_of(counts.at(h.name).at("count"));
      counts.at(h.name).at("count") = counter(after(at));
      values.at(h.name) = scalar((*schedule)(at), dtype);
    }
    Inner::set(h, values.at(h.name).tensor().item<double>());
  }
  Update next = update_inner(inner.optimizer(), grads, state["inner_state"], params);
  return {std::move(next.updates), Tree::record(type, {{"count", counter(after(count))},
                                                       {"hyperparams", values},
                                                       {"hyperparams_states", counts},
                                                       {"inner_state", next.state}})};
}

}  // namespace kd::optim
