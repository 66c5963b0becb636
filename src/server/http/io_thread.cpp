#include "server/http/io_thread.h"

#include <signal.h>

#include <boost/asio/post.hpp>
#include <system_error>

#include "server/http/connection.h"

namespace glovebox::http {
namespace {

// How late a time limit may be noticed.
constexpr std::chrono::milliseconds kTick{100};

}  // namespace

IoThread::IoThread() : context_(1), work_(context_.get_executor()), ticker_(context_) {}
IoThread::~IoThread() { stop(); }

base::Status IoThread::start() {
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  base::Status status;
  try {
    thread_ = std::thread([this] { context_.run(); });
  } catch (const std::system_error& error) {
    status = base::fail(base::ErrorCode::setup_failed, std::string("cannot start an I/O thread: ") + error.what());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

void IoThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(takes_work_, false)) {
      return;
    }
    boost::asio::post(context_, [this] { close_all(); });
  }
  work_.reset();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void IoThread::post_task(std::unique_ptr<Task> task) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (!takes_work_) {
      return;
    }
    tasks_.push_back(std::move(task));
    is_first = tasks_.size() == 1;
  }
  // Outside of the lock, which the thread that wakes up wants at once.
  if (is_first) {
    boost::asio::post(context_, [this] { run_tasks(); });
  }
}

void IoThread::run_tasks() {
  std::vector<std::unique_ptr<Task>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (auto& task : tasks) {
    task->run();
    task.reset();
  }
}

void IoThread::add(std::shared_ptr<Connection> connection) {
  Connection* key = connection.get();
  connections_.emplace(key, std::move(connection));
  schedule_tick();
}

void IoThread::remove(Connection* connection) { connections_.erase(connection); }

void IoThread::close_idle_connections() {
  // Closing removes from the map, so walk over a copy.
  const std::vector<std::pair<Connection*, std::shared_ptr<Connection>>> all(connections_.begin(), connections_.end());
  for (const auto& [key, connection] : all) {
    connection->close_if_idle();
  }
}

void IoThread::close_all() {
  ticker_.cancel();
  const auto all = std::exchange(connections_, {});
  for (const auto& [key, connection] : all) {
    connection->close();
  }
}

void IoThread::schedule_tick() {
  if (ticking_ || connections_.empty()) {
    return;
  }
  ticking_ = true;
  ticker_.expires_after(kTick);
  ticker_.async_wait([this](const boost::system::error_code& error) {
    ticking_ = false;
    if (!error) {
      tick();
    }
  });
}

void IoThread::tick() {
  const Clock::time_point now = Clock::now();
  const std::vector<std::pair<Connection*, std::shared_ptr<Connection>>> all(connections_.begin(), connections_.end());
  for (const auto& [key, connection] : all) {
    connection->tick(now);
  }
  schedule_tick();
}

}  // namespace glovebox::http
