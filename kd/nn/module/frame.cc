// Calls of modules: which scope a call belongs to.
//
// A module in a field of its parent is named by the field. Any other is named after its type, in
// the order in which modules are made, which for a temporary is the order of the calls. A module
// made inside its parent's call has its own fields made there too: they belong to the parent, as
// in the reference, unless they are the defaults of their struct.
//
// A wrapped model shares the scope of its wrapper. In the reference the modules in its fields get
// their random keys before that, with the name of the wrapper's field in their path, and keep them.
#include "kd/nn/module/frame.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <unordered_map>

#include <c10/util/Exception.h>

#include "kd/nn/module/module.h"
#include "kd/nn/run_impl.h"
#include "konfig/compare.h"
#include "konfig/error.h"
#include "konfig/poly.h"

namespace kd::nn::detail {

using konfig::Kind;
using konfig::Type;

namespace {

// A module that an object holds.
struct Held {
  std::string name;  // "encoder", "layers_0"
  const void* object;
  const Type* type;
  const konfig::Field* field;  // the field it is in
};

// Whether a field of this type may hold modules.
bool may_hold(const Type& type) {
  switch (type.kind) {
    case Kind::poly:
      return type.interface == konfig::type_name<kd::Module>;
    case Kind::record:
      return true;
    case Kind::list:
    case Kind::array:
    case Kind::args:
    case Kind::map:
    case Kind::kwargs:
    case Kind::optional:
    case Kind::required:
    case Kind::inherit:
      return may_hold(type.element());
    case Kind::variant:
      return std::any_of(type.alternatives.begin(), type.alternatives.end(),
                         [](konfig::TypeOf alternative) { return may_hold(alternative()); });
    default:
      return false;
  }
}

using FieldList = std::vector<const konfig::Field*>;

// Most layers hold none: looked at once per type.
const FieldList& fields_with_modules(const Type& type) {
  thread_local std::unordered_map<const Type*, FieldList> known;
  auto [it, is_new] = known.try_emplace(&type);
  if (is_new) {
    for (const konfig::Field& field : type.fields) {
      if (may_hold(field.type())) it->second.push_back(&field);
    }
  }
  return it->second;
}

bool is_default(const Type& type, const void* object, const konfig::Field& field) {
  return type.defaults &&
         konfig::detail::equal(field.type(), konfig::detail::at_offset(object, field.offset),
                               konfig::detail::at_offset(type.defaults, field.offset));
}

class Fields {
 public:
  static std::vector<Held> of(const Type& type, const void* object) {
    Fields fields;
    for (const konfig::Field* field : fields_with_modules(type)) {
      fields.field_ = field;
      fields.visit(std::string(field->name), field->type(),
                   konfig::detail::at_offset(object, field->offset));
    }
    return std::move(fields.found_);
  }

 private:
  void visit(const std::string& name, const Type& type, const void* value) {
    void* p = const_cast<void*>(value);
    switch (type.kind) {
      case Kind::poly: {
        if (type.interface != konfig::type_name<kd::Module>) return;
        auto& poly = *static_cast<const konfig::PolyBase*>(value);
        if (poly) found_.push_back({name, poly.object().get(), poly.type(), field_});
        return;
      }
      case Kind::record:
        found_.push_back({name, value, &type, field_});
        return;
      case Kind::list:
      case Kind::array:
      case Kind::args:
        for (std::size_t i = 0; i < type.count(value); ++i) {
          visit(name + "_" + std::to_string(i), type.element(), type.at(p, i));
        }
        return;
      case Kind::map:
      case Kind::kwargs: {
        struct Context {
          Fields* self;
          const std::string* name;
          const Type* element;
        } context{this, &name, &type.element()};
        type.each(
            p,
            [](void* c, const std::string& key, void* item) {
              auto& [self, prefix, element] = *static_cast<Context*>(c);
              self->visit(*prefix + "_" + key, *element, item);
              return false;
            },
            &context);
        return;
      }
      case Kind::optional:
      case Kind::required:
      case Kind::inherit:
        if (void* inner = type.get(p)) visit(name, type.element(), inner);
        return;
      case Kind::variant:
        visit(name, type.alternatives[type.index(value)](), type.active(p));
        return;
      default:
        return;
    }
  }

  const konfig::Field* field_ = nullptr;
  std::vector<Held> found_;
};

const Held* find_held(const std::vector<Held>& fields, const void* object, std::string_view type) {
  for (const Held& held : fields) {
    if (held.object == object && held.type->name == type) return &held;
  }
  return nullptr;
}

Scope* find_bound(Run& run, const void* object, std::string_view type) {
  auto [begin, end] = run.bound.equal_range(object);
  for (auto it = begin; it != end; ++it) {
    if (it->second.type == type) return it->second.scope;
  }
  return nullptr;
}

void bind(Run& run, const void* object, std::string_view type, Scope& scope) {
  run.bound.emplace(object, Frame::Local{object, type, &scope});
}

Scope& automatic(Frame& parent, std::string_view type_name) {
  for (auto& [name, count] : parent.counts) {
    if (name == type_name) {
      return parent.scope->child(std::string(type_name) + "_" + std::to_string(count++));
    }
  }
  parent.counts.emplace_back(type_name, 1);
  return parent.scope->child(std::string(type_name) + "_0");
}

// The field of an enclosing module that holds the object, if any.
Scope* named_by_field(Frame* from, const void* object, std::string_view type) {
  for (Frame* frame = from; frame; frame = frame->parent) {
    auto fields = Fields::of(frame->info.fields(), frame->object);
    if (const Held* held = find_held(fields, object, type)) {
      Scope& scope = frame->scope->child(held->name);
      scope.key_prefix = frame->shared_as;
      return &scope;
    }
  }
  return nullptr;
}

// Names the modules in the fields of one that was made inside its parent's call, inner ones first.
void adopt_fields(Run& run, Frame& parent, const Type& type, const void* object) {
  for (const Held& held : Fields::of(type, object)) {
    std::string_view held_type = held.type->name;
    if (!kd::detail::is_implemented<kd::Module>(held_type)) continue;
    if (is_default(type, object, *held.field)) continue;
    if (find_bound(run, held.object, held_type)) continue;
    if (named_by_field(&parent, held.object, held_type)) continue;
    adopt_fields(run, parent, *held.type, held.object);
    bind(run, held.object, held_type, automatic(parent, short_name(held_type)));
  }
}

Scope& scope_for(Run& run, Frame* parent, const ModuleInfo& info, const Identity& identity) {
  if (!parent) return run.root;
  if (identity.name && identity.name->empty()) return *parent->scope;
  bool own = identity.temporary || identity.name;
  if (!own) {
    if (Scope* scope = find_bound(run, identity.object, info.type)) return *scope;
    if (Scope* scope = named_by_field(parent, identity.object, info.type)) {
      bind(run, identity.object, info.type, *scope);
      return *scope;
    }
    for (auto& local : parent->locals) {
      if (local.object == identity.object && local.type == info.type) return *local.scope;
    }
  }
  adopt_fields(run, *parent, info.fields(), identity.object);
  Scope& scope =
      identity.name ? parent->scope->child(*identity.name) : automatic(*parent, info.name);
  if (!own) parent->locals.push_back({identity.object, info.type, &scope});
  return scope;
}

// A copy of a field is another module, with another name: the field itself then has no parameters.
void report_not_called(Run& run, const Frame& frame) {
  for (const Held& held : Fields::of(frame.info.fields(), frame.object)) {
    if (run.called.contains(held.object)) continue;
    if (!kd::detail::is_implemented<kd::Module>(held.type->name)) continue;
    run.called.insert(held.object);  // once is enough
    std::string path = frame.scope->path_text();
    std::fprintf(stderr,
                 "kd: warning: %s%s%s (%s) is never called in init and gets no parameters\n",
                 path.c_str(), path.empty() ? "" : ".", held.name.c_str(),
                 std::string(held.type->name).c_str());
  }
}

void forget(const void* object) {
  Run* run = current_run_or_null();
  if (!run) return;
  run->bound.erase(object);
  if (run->frame) std::erase_if(run->frame->locals, [&](auto& l) { return l.object == object; });
}

}  // namespace

Frame::Frame(const ModuleInfo& module_info, const Identity& identity)
    : info(module_info), object(identity.object), parent(current_run().frame) {
  Run& run = current_run();
  scope = &scope_for(run, parent, info, identity);
  if (parent && scope == parent->scope) {
    auto fields = Fields::of(parent->info.fields(), parent->object);
    if (const Held* held = find_held(fields, object, info.type)) shared_as = held->name;
  }
  run.frame = this;
  if (run.initializing) run.called.insert(object);
  on_destroy = forget;
}

Frame::~Frame() {
  Run& run = current_run();
  if (run.initializing && std::uncaught_exceptions() == 0) report_not_called(run, *this);
  run.frame = parent;
  if (!parent && !run.outer) on_destroy = nullptr;
}

bool Frame::recording() const { return listed > 0 || current_run().capture; }

void Frame::record(kontext::TreeRef output) {
  if (listed > 0) list_output(*this, output);
  if (!current_run().capture) return;
  Interms* node = &current_run().sown_in(kIntermediates);
  for (auto& part : scope->path()) node = &node->child(part);
  node->append("__call__", std::move(output));
}

namespace {

// An error that says already in which module it happened: the innermost one.
struct PlacedError : konfig::Error {
  using Error::Error;
};

}  // namespace

void Frame::rethrow() const {
  std::string place = scope->path_text();
  if (place.empty()) place = info.name;
  try {
    throw;
  } catch (const PlacedError&) {
    throw;
  } catch (const konfig::Error& error) {
    throw PlacedError(error.kind(), place + ": " + error.what());
  } catch (const c10::Error& error) {
    throw PlacedError(konfig::ErrorKind::value, place + ": " + error.what_without_backtrace());
  }
}

}  // namespace kd::nn::detail
