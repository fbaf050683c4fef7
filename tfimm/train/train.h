// tfimm.train: experiments of registered classes, configured by plain structs, files and flags.
#pragma once

#include "tfimm/train/any.h"
#include "tfimm/train/config_class.h"
#include "tfimm/train/dump_config.h"
#include "tfimm/train/formats.h"
#include "tfimm/train/made.h"
#include "tfimm/train/parse_args.h"
#include "tfimm/train/registry.h"
