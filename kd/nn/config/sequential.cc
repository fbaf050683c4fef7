// A repeated layer becomes a list of layers here.
#include <map>

#include "kd/nn/layers/kd_sequential.h"
#include "konfig/register.h"
#include "konfig/walk.h"

namespace kd::nn {

namespace {

// Copies of modules with objects of their own, so that none shares parameters with the original.
// A module that occurs twice in what is copied is one module in the copy, too.
class ModuleCopy {
 public:
  Poly<kd::Module> of(const Poly<kd::Module>& module) {
    Poly<kd::Module> out;
    if (module) own(module, out);
    return out;
  }

 private:
  void own(const konfig::PolyBase& from, konfig::PolyBase& to) {
    std::shared_ptr<const void> original = from.object();
    const konfig::Type& type = *from.type();
    auto known = copies_.find(original.get());
    if (known == copies_.end()) {
      std::shared_ptr<void> copy = konfig::clone_object(type, original.get());
      known = copies_.emplace(original.get(), copy).first;
      own_parts(type, copy.get());
    }
    to.set_object(type, known->second);
  }

  void own_parts(const konfig::Type& type, void* p) {
    konfig::detail::each_child(type, p, [&](const konfig::detail::Child& child) {
      if (child.type->kind != konfig::Kind::poly) {
        own_parts(*child.type, child.ptr);
      } else if (auto& poly = *static_cast<konfig::PolyBase*>(child.ptr);
                 poly && child.type->interface == konfig::type_name<kd::Module>) {
        own(poly, poly);
      }
      return false;
    });
  }

  std::map<const void*, std::shared_ptr<const void>> copies_;
};

}  // namespace

Sequential Sequential::from_repeated(const SequentialRepeats& args) {
  Sequential out{.layers = args.prefix, .inputs = args.inputs, .outputs = args.outputs};
  Poly<kd::Module> shared = ModuleCopy().of(args.layer);  // an object that copies of it share
  for (int i = 0; i < args.repeats; ++i) {
    out.layers.emplace_back(args.shared_weights ? shared : ModuleCopy().of(args.layer));
  }
  out.layers.insert(out.layers.end(), args.suffix.begin(), args.suffix.end());
  return out;
}

}  // namespace kd::nn

template const konfig::Type& konfig::type_of<kd::nn::SequentialRepeats>();
KONFIG_FUNCTION("kauldron.kd:nn.Sequential.from_repeated", kd::nn::Sequential::from_repeated);
