#include "engine/supervise/process_tree.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "os/files.h"

namespace glovebox::engine {
namespace {

// A child that does `work` and waits to be killed. It lives once `expected` of its processes have said so through
// Ready.
class Ready {
 public:
  explicit Ready(int fd) : fd_(fd) {}
  [[noreturn]] void say_and_pause() const {
    (void)!::write(fd_, "r", 1);
    while (true) {
      ::pause();
    }
  }

 private:
  int fd_;
};

class Child {
 public:
  Child(int expected, const std::function<void(Ready)>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      work(Ready(ends[1]));
      Ready(ends[1]).say_and_pause();
    }
    for (int said = 0; said < expected; ++said) {
      char byte = 0;
      EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    }
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

void burn_cpu_ms(int milliseconds) {
  timespec now{};
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1'000'000 < milliseconds);
}

bool host_lists_children() { return os::path_exists("/proc/self/task/" + std::to_string(::getpid()) + "/children"); }

class ProcessTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!host_lists_children()) {
      GTEST_SKIP() << "needs a kernel with CONFIG_PROC_CHILDREN";
    }
  }
};

TEST_F(ProcessTreeTest, CountsDescendantsButNotTheFirstProcess) {
  const Child first(5, [](Ready ready) {
    for (int index = 0; index < 3; ++index) {
      if (::fork() == 0) {
        if (index == 0 && ::fork() == 0) {
          ready.say_and_pause();
        }
        ready.say_and_pause();
      }
    }
  });
  EXPECT_EQ(measure_tree(first.pid()).tasks, 4U);
}

TEST_F(ProcessTreeTest, SumsTheMemoryOfDescendants) {
  constexpr std::size_t kBytes = 32U << 20U;
  const Child first(2, [](Ready ready) {
    if (::fork() == 0) {
      const int populate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
      if (::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, populate, -1, 0) == MAP_FAILED) {
        ::_exit(1);
      }
      ready.say_and_pause();
    }
  });
  const TreeUsage usage = measure_tree(first.pid());
  EXPECT_GE(usage.memory_bytes, kBytes);
  EXPECT_LT(usage.memory_bytes, 16 * kBytes);
}

TEST_F(ProcessTreeTest, CountsTheCpuTimeOfTheLivingAndOfTheReaped) {
  const Child first(1, [](Ready) {
    burn_cpu_ms(100);
    const pid_t short_lived = ::fork();
    if (short_lived == 0) {
      burn_cpu_ms(200);
      ::_exit(0);
    }
    ::waitpid(short_lived, nullptr, 0);
  });
  const std::uint64_t cpu_us = measure_tree(first.pid()).cpu_us;
  EXPECT_GE(cpu_us, 250'000U) << "in ticks of 10 ms";
  EXPECT_LT(cpu_us, 5'000'000U);
}

TEST_F(ProcessTreeTest, AProcessThatIsGoneUsesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const TreeUsage usage = measure_tree(child);
  EXPECT_EQ(usage.memory_bytes + usage.cpu_us + usage.tasks, 0U);
}

}  // namespace
}  // namespace glovebox::engine
