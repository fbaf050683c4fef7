// Checks of the policies' fields.
#include "kd/ckpts/policies.h"

#include "kd/ckpts/expect_positive_impl.h"

namespace kd::ckpts {

using konfig::ConfigDict;

void LatestN::konfig_post_resolve(const ConfigDict&) const { expect_positive("n", n); }

void EveryNSteps::konfig_post_resolve(const ConfigDict&) const {
  expect_positive("interval_steps", *interval_steps);
}

void EveryNSeconds::konfig_post_resolve(const ConfigDict&) const {
  expect_positive("interval_secs", *interval_secs);
}

void KeepBestN::konfig_post_resolve(const ConfigDict&) const { expect_positive("n", *n); }

void ExpStep::konfig_post_resolve(const ConfigDict&) const {
  expect_positive("interval", interval);
}

void KeepExpStepAndBestN::konfig_post_resolve(const ConfigDict&) const {
  expect_positive("interval", *interval);
  expect_positive("n", *n);
}

}  // namespace kd::ckpts
