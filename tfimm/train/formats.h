// The three forms of a config: structs, a nested dictionary, a flat one. They convert into each
// other without loss.
//
//   ExperimentConfig cfg{.problem = ClassificationConfig{.nb_classes = 10},
//                        .problem_class = "ClassificationProblem"};
//   Dict nested = to_dict_format(cfg);    // {"problem": {"nb_classes": 10}, "problem_class": ...}
//   Dict flat = deep_to_flat(nested);     // {"problem.nb_classes": 10, "problem_class": ...}
//   auto again = from_dict<ExperimentConfig>(to_cls_format(flat_to_deep(flat)));
//
// A nested dictionary names the classes inside it, and not its own: the caller does.
#pragma once

#include <string>
#include <vector>

#include "konfig/value.h"
#include "tfimm/train/config_class.h"

namespace tfimm::train {

using konfig::Dict;
using konfig::Value;

// Structs, also those inside maps, as nested dictionaries. A Required field that is not given is an
// Error. Tuples and lists are values: what is inside them stays.
Dict to_dict_format(const Value& cfg);
template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) Dict to_dict_format(const T& cfg) {
  return to_dict_format(to_object(cfg));
}

// The maps inside a nested dictionary as objects of the classes that `x_class` beside them names.
// A map without it, an unknown class, an unknown or missing field and a value of another type are
// Errors; an empty class gives None. Fields that are themselves structs need no x_class.
Dict to_cls_format(const Dict& cfg);
Dict to_cls_format(const Dict& cfg, const ConfigClass& outer);

// The struct whose fields these are: Python's ExperimentConfig(**cfg). Maps inside become objects
// first.
Value from_dict(const ConfigClassPtr& cls, const Dict& cfg);
template <class T>
T from_dict(const Dict& cfg) {
  return from_object<T>(from_dict(describe<T>(), cfg));
}

// Keys joined with dots, and split at them. A key given twice, or `a` together with `a.b`, is an
// Error. Empty maps have no flat form: check_format adds them again.
Dict deep_to_flat(const Dict& cfg);
Dict flat_to_deep(const Dict& cfg);

// The nested dictionary with `x` for every `x_class`, None as "" for a class and as {} for its
// config. A map without its class, and a class that is no text, are Errors.
Dict check_format(const Dict& cfg);

// Each value with the name of its type, as the command line would take it: {"a": ("int", 3)}.
Dict to_arg_format(const Dict& cfg);

// "  problem:\n    nb_classes=10\n": a line for each field, as the log of a run shows it.
std::vector<std::string> pprint_lines(const Value& cfg);
std::string pprint(const Value& cfg);
template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) std::string pprint(const T& cfg) {
  return pprint(to_object(cfg));
}

// Equal values in every field.
template <konfig::Record T>
bool same(const T& a, const T& b) {
  return Value(to_dict_format(a)) == Value(to_dict_format(b));
}

}  // namespace tfimm::train
