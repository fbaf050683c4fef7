#include "kd/core/index_checks.h"

namespace kd {

namespace {
thread_local bool g_on = false;
}

IndexChecks::IndexChecks(bool on) : before_(g_on) { g_on = on; }
IndexChecks::~IndexChecks() { g_on = before_; }

bool checks_indices() { return g_on; }

}  // namespace kd
