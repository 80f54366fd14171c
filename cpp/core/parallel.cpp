#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace thresher {
namespace {

thread_local bool inside_pool = false;

// Set while a thread works on a loop: whether that loop is to stop.
thread_local const std::atomic<bool>* loop_stopped = nullptr;

// One parallel loop. Workers may look at it after the caller has returned, so it is shared.
struct Job {
  std::function<void(std::size_t, std::size_t)> body;
  std::size_t n_items = 0;
  std::size_t grain = 1;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr error;
  std::atomic<bool> stopped{false};

  void work() {
    loop_stopped = &stopped;
    work_on_ranges();
    loop_stopped = nullptr;
  }

 private:
  void work_on_ranges() {
    for (;;) {
      const std::size_t begin = next.fetch_add(grain);
      if (begin >= n_items) return;
      const std::size_t end = std::min(begin + grain, n_items);
      try {
        check_interrupt();
        body(begin, end);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        stopped = true;
      }
      if (done.fetch_add(end - begin) + (end - begin) == n_items) {
        const std::lock_guard lock(mutex);
        finished.notify_all();
      }
    }
  }
};

// The C library ends the process if it finds no memory for the thread_local variables of a new thread. So address space
// for them is reserved before the thread is started, and given back when it allocates them.
struct ReturnAddressSpace {
  [[maybe_unused]] static constexpr std::size_t kBytes = std::size_t{1} << 16;
  void operator()([[maybe_unused]] void* reserved) const noexcept {
#if defined(__linux__)
    munmap(reserved, kBytes);
#endif
  }
};

std::unique_ptr<void, ReturnAddressSpace> reserve_address_space() {
#if defined(__linux__)
  void* reserved = mmap(nullptr, ReturnAddressSpace::kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) throw std::bad_alloc();
  return std::unique_ptr<void, ReturnAddressSpace>(reserved);
#else
  return nullptr;
#endif
}

class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void run(const std::shared_ptr<Job>& job, std::size_t n_helpers) {
    {
      const std::lock_guard lock(mutex_);
      n_helpers = start_threads(n_helpers);
      queue_.insert(queue_.end(), n_helpers, job);  // all or none: a helper must not outlive what the body refers to
    }
    wake_.notify_all();
    inside_pool = true;
    job->work();
    inside_pool = false;
    std::unique_lock lock(job->mutex);
    job->finished.wait(lock, [&] { return job->done.load() == job->n_items; });
    // Not left to a helper, which could not destroy an exception of Python.
    if (job->error) std::rethrow_exception(std::exchange(job->error, nullptr));
  }

 private:
  // Threads for `n_helpers`, or for as many as the system has memory for; returns how many there are.
  std::size_t start_threads(std::size_t n_helpers) {
    try {
      while (threads_.size() < n_helpers) start_thread();
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    return std::min(n_helpers, threads_.size());
  }

  void start_thread() {
    threads_.emplace_back([this, reserved = reserve_address_space()]() mutable {
      reserved.reset();
      serve();
    });
    std::unique_lock lock(starting_);
    started_.wait(lock, [&] { return n_started_ == threads_.size(); });
  }

  void serve() {
    allocate_thread_locals();
    inside_pool = true;
    {
      const std::lock_guard lock(starting_);
      ++n_started_;
    }
    started_.notify_one();
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
        if (stopping_) return;
        job = std::move(queue_.back());
        queue_.pop_back();
      }
      job->work();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Job>> queue_;
  std::vector<std::thread> threads_;
  // Not an atomic to wait for: where the system has no futex, libstdc++ may miss that it is notified.
  std::mutex starting_;
  std::condition_variable started_;
  std::size_t n_started_ = 0;
  bool stopping_ = false;
};

Pool* current_pool = nullptr;
std::mutex pool_mutex;

#if defined(__unix__) || defined(__APPLE__)
// A pool does not survive fork (joblib's and Spark's workers): the child starts a new one and leaks the old,
// whose threads do not exist there.
[[maybe_unused]] const int registered = pthread_atfork([] { pool_mutex.lock(); }, [] { pool_mutex.unlock(); },
                                                       [] {
                                                         current_pool = nullptr;
                                                         pool_mutex.unlock();
                                                       });
#endif

Pool& pool() {
  const std::lock_guard lock(pool_mutex);
  if (current_pool == nullptr) current_pool = new Pool();
  return *current_pool;
}

}  // namespace

void allocate_thread_locals() noexcept {
  loop_stopped = nullptr;
  (void)std::current_exception();  // those of the C++ library
}

Interrupt*& interrupt_in_force() noexcept {
  thread_local Interrupt* current = nullptr;
  return current;
}

void check_interrupt() {
  // Only the thread that was called from Python has an interrupt in force.
  if (Interrupt* interrupt = interrupt_in_force()) interrupt->check();
  if (loop_stopped != nullptr && loop_stopped->load(std::memory_order_relaxed)) throw Interrupted();
}

void parallel_for(std::size_t n_items, std::size_t grain, std::size_t n_threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (n_items == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t n_ranges = (n_items + grain - 1) / grain;
  n_threads = std::min(n_threads, n_ranges);
  if (n_threads <= 1 || inside_pool) {
    for (std::size_t begin = 0; begin < n_items; begin += grain) {
      check_interrupt();
      body(begin, std::min(begin + grain, n_items));
    }
    return;
  }
  auto job = std::make_shared<Job>();
  job->body = body;
  job->n_items = n_items;
  job->grain = grain;
  pool().run(job, n_threads - 1);
}

}  // namespace thresher
