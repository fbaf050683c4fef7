// Threads that work ahead. Library only.
#pragma once

#include <sched.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace kd::data::detail {

// Makes results in the background, several at a time, and hands them over in order. At most
// `capacity` are finished or being made.
template <class Ticket, class Result>
class Workers {
 public:
  // `issue` gives the next thing to do, None when there is nothing left, and is never called by two
  // threads at once; `make` does it, on any thread.
  using Issue = std::function<std::optional<Ticket>()>;
  using Make = std::function<Result(const Ticket&)>;

  Workers(std::size_t threads, std::size_t capacity, Issue issue, Make make)
      : capacity_(capacity), issue_(std::move(issue)), make_(std::move(make)) {
    for (std::size_t i = 0; i < threads; ++i) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        if (threads_.empty()) throw;
        return;  // the machine has no more threads: those there are do the work
      }
    }
  }
  ~Workers() {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // The next result; None at the end. What a thread threw is thrown here.
  std::optional<Result> next() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return slots_.empty() ? at_end_ : slots_.front()->done; });
    if (slots_.empty()) return {};
    const std::shared_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    lock.unlock();
    room_.notify_one();
    if (slot->error) std::rethrow_exception(slot->error);
    return std::move(slot->result);
  }

 private:
  // A thread that is woken must not push aside the one that asked for a result: that one has work
  // of its own to do, and results are made ahead.
  static void yield_to_others() {
#ifdef __linux__
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
#endif
  }

  struct Slot {
    std::optional<Result> result;
    std::exception_ptr error;
    bool done = false;
  };

  void work() {
    yield_to_others();
    std::unique_lock lock(mutex_);
    while (true) {
      room_.wait(lock, [&] { return stopped_ || (!at_end_ && slots_.size() < capacity_); });
      if (stopped_) return;
      auto slot = std::make_shared<Slot>();
      std::optional<Ticket> ticket;
      try {
        ticket = issue_();
      } catch (...) {
        slot->error = std::current_exception();
      }
      if (!ticket && !slot->error) {
        at_end_ = true;
        done_.notify_all();
        room_.notify_all();
        room_.wait(lock, [&] { return stopped_; });
        return;
      }
      slots_.push_back(slot);
      lock.unlock();
      if (ticket) {
        try {
          slot->result = make_(*ticket);
        } catch (...) {
          slot->error = std::current_exception();
        }
      }
      lock.lock();
      slot->done = true;
      if (slot->error) at_end_ = true;  // nothing follows an error
      done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable room_, done_;
  std::deque<std::shared_ptr<Slot>> slots_;
  std::size_t capacity_;
  bool stopped_ = false, at_end_ = false;
  Issue issue_;
  Make make_;
  std::vector<std::thread> threads_;
};

}  // namespace kd::data::detail
