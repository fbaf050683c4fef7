// How --cfg= and its overrides work, for the help of every verb that takes a config.
#pragma once

namespace cli {

inline constexpr const char* kConfigFlags = R"(
The config:
  --cfg=SOURCE            a name (kd config list), or a file: .cc, .py, .json,
                          .yaml; - reads JSON or YAML from standard input
  --cfg=SOURCE:ARGS       with arguments for its get_config: x.py:size=3,name='b'
  --cfg.__args__.NAME=V   the same, one by one
Overrides, applied once the config is built:
  --cfg.PATH=VALUE        a field: --cfg.optimizer.learning_rate=1e-4
                          an item: --cfg.train_ds.transforms[0].keep[0]=label
                          a node:  --cfg.optimizer='py::optax.sgd(learning_rate=1)'
                          a type:  --cfg.optimizer.__qualname__=optax:sgd
  --cfg.PATH, --nocfg.PATH   True and False
VALUE is JSON or a Python literal, else text.
kd config help --cfg=SOURCE lists the fields of a config.
)";

}  // namespace cli
