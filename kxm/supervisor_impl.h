// Starts a job with a supervisor: a small process that waits for it and notes how it ended. Both
// outlive a launcher, and both hold the attempt's lock.
#pragma once

#include "kxm/executor.h"
#include "kxm/machine_impl.h"

namespace kxm {

// What becomes of the job when this process is killed.
enum class Starter {
  may_go,  // the job goes on
  needed,  // it is killed
};

// The attempt's folder and intent.json are there. Throws a base::FileError if the attempt's files
// cannot be made: then nothing was started. False if another process has the attempt's lock.
bool start_supervised(const Attempt& attempt, const Slots& slots, double grace_seconds,
                      Starter starter = Starter::may_go);

// Readable after a job that this process started has ended; emptied by `reap`.
int ended_descriptor();
// Collects supervisors that are done, and notes how jobs ended whose supervisors were killed.
void reap();
// Its supervisor was started by this process, and is there.
bool started_here(const Attempt& attempt);
// `reap` is still to collect its supervisor, or the job itself.
bool awaited(const Attempt& attempt);

}  // namespace kxm
