// Finds the components that a header declares, and the interfaces that it tells how to implement.
//
//   KONFIG_COMPONENT(kd::Loss, kd::losses::L2, "kauldron.kd:losses.L2");
//   KONFIG_TYPE(kd::train::Setup, "kauldron.kd:train.Setup");
//   KD_ALSO_IMPLEMENTS(kd::nn::RnnCell, kd::nn::GRUCell);
//   template <>
//   struct Implement<Loss> { using Ops = losses::LossOps; };
//   class Executor { ... struct Ops { ... }; };
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace components {

struct Declaration {
  std::string interface;                // kd::Loss; "" for KONFIG_TYPE
  std::string type;                     // kd::losses::L2
  bool registered = true;               // false for KD_ALSO_IMPLEMENTS
  std::vector<std::string> names = {};  // in configs: "kauldron.kd:losses.L2"
  int line = 0;                         // of the header, from 1
};

struct Fault {
  int line = 0;
  std::string text;
};

struct Declarations {
  std::vector<Declaration> components;         // in the order of the text
  std::vector<std::string> implemented;        // the I of each Implement<I>, with kd:: in front
  std::vector<std::string> with_ops;           // classes with a struct Ops: kxm::Executor
  std::vector<std::string> without_functions;  // empty classes: kxm::AnyJob
  std::vector<Fault> faults;                   // declarations that are not understood
};

Declarations scan_declarations(std::string_view header);

}  // namespace components
