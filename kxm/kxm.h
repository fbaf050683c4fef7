// kxm: experiments of many jobs. Everything that config files and programs need.
#pragma once

#include "konfig/config_registry.h"
#include "kxm/executor.h"
#include "kxm/experiment.h"
#include "kxm/job.h"
#include "kxm/make_plan.h"
#include "kxm/plan.h"
#include "kxm/proxies.h"
