// A program of another project that uses the installed konfig: a config of its own type.
#include <iostream>

#include "konfig/config.h"
#include "konfig/konfig.h"

namespace outside {
struct Model {
  int width = 8;
  std::string name = "mlp";
};
}  // namespace outside
KONFIG_REGISTER(outside::Model);

int main() {
  konfig::Config<outside::Model> cfg;
  cfg.width = 16;
  konfig::ConfigDict config = konfig::lower(cfg);
  config["name"] = "cnn";
  auto model = konfig::resolve<outside::Model>(config);
  std::cout << konfig::to_json(config) << "\n";
  return model->width == 16 && model->name == "cnn" ? 0 : 1;
}
