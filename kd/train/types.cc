#include "kd/also_named_impl.h"
#include "kd/train/trainer.h"

KONFIG_REGISTER(kd::train::RngStream, "kauldron.kd:train.RngStream");
KONFIG_REGISTER(kd::train::RngStreams, "kauldron.kd:train.RngStreams");
KONFIG_REGISTER(kd::train::TqdmInfo, "kauldron.kd:train.TqdmInfo");
KONFIG_REGISTER(kd::train::Setup, "kauldron.kd:train.Setup");
KONFIG_REGISTER(kd::train::Trainer, "kauldron.kd:train.Trainer");

namespace kd::train {

std::vector<std::string> Tags::list() const {
  if (auto* all = std::get_if<std::vector<std::string>>(this)) return *all;
  std::vector<std::string> out(1);
  for (char c : std::get<std::string>(*this)) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

namespace {

// The same object; the fields that it starts with differ.
bool register_eval_only() {
  konfig::Symbol symbol = konfig::get_symbol("kauldron.kd:train.Trainer");
  symbol.qualname = "kauldron.kd:train.Trainer.eval_only";
  symbol.construct = [usual = symbol.construct](const konfig::Arguments& arguments) {
    konfig::Value out = usual(arguments);
    auto trainer = static_cast<const Trainer*>(out.as<konfig::Object>().ptr.get());
    if (!trainer->setup.eval_only) {
      throw konfig::Error(
          konfig::ErrorKind::value, "setup.eval_only",
          "it is false, but Trainer.eval_only only evaluates; use Trainer to train");
    }
    return out;
  };
  konfig::register_symbol(std::move(symbol));
  return true;
}

}  // namespace
}  // namespace kd::train
KONFIG_RUN(kd::train::register_eval_only());

KONFIG_REGISTER(kd::train::TrainStep);
KONFIG_REGISTER(kd::train::MultiTrainStep);
KONFIG_REGISTER(kd::train::NoopTrainStep);
KONFIG_RUN(kd::contrib_named("train", {"MultiTrainStep", "NoopTrainStep"}));
