// kontext: names connect things. Paths reach into any tree; keys connect batch, model, losses and
// metrics. docs/kontext.md is the guide.
#pragma once

// IWYU pragma: begin_exports
#include "kontext/call.h"
#include "kontext/filter.h"
#include "kontext/flatten.h"
#include "kontext/get.h"
#include "kontext/key.h"
#include "kontext/keys.h"
#include "kontext/path.h"
#include "kontext/path_builder.h"
#include "kontext/set.h"
#include "kontext/tree.h"
// IWYU pragma: end_exports
