// Borg in a config names no place where jobs could run.
#include "kxm/borg.h"

#include "konfig/error.h"

namespace kxm {
namespace {

[[noreturn]] void refuse() {
  throw konfig::Error(konfig::ErrorKind::unsupported,
                      "xmanager.xm_abc:Borg runs jobs at Google only; use kauldron.kxm:Slurm, or "
                      "leave the executor out");
}

}  // namespace

std::vector<bool> Borg::submit(std::span<const Attempt>) const { refuse(); }
std::vector<Seen> Borg::poll(std::span<const Attempt>) const { refuse(); }
void Borg::stop(std::span<const Attempt>, Stop) const { refuse(); }

}  // namespace kxm
