// konfig: experiments as configs. The umbrella of the dynamic side; konfig/config.h adds typed
// configs.
//
//   auto cfg = konfig::call("optax:adam", {{"learning_rate", 0.003}});
//   cfg["learning_rate"] = 1e-4;
//   std::cout << konfig::to_json(cfg);
#pragma once

#include "konfig/config_dict.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/reference.h"
#include "konfig/registry.h"
#include "konfig/resolve.h"
#include "konfig/value.h"
#include "konfig/yaml.h"
