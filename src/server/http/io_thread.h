// A thread with an event loop and the connections that belong to it.
//
// Work from other threads comes through run() and post(). After stop() they drop it: an exchange may outlive the
// server, and its answer then has nowhere to go.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/http/server_state.h"

namespace glovebox::http {

class Connection;

class IoThread : public std::enable_shared_from_this<IoThread> {
 public:
  IoThread();
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  [[nodiscard]] base::Status start();
  // Closes every connection and joins. From outside, once.
  void stop();

  [[nodiscard]] bool is_here() { return context_.get_executor().running_in_this_thread(); }
  // Runs the action on this thread: at once if this is it.
  template <typename Action>
  void run(Action action) {
    if (is_here()) {
      action();
    } else {
      post(std::move(action));
    }
  }
  // Runs the action on this thread, later. What was posted first runs first, whichever threads it came from.
  template <typename Action>
  void post(Action action) {
    post_task(std::make_unique<TaskOf<Action>>(std::move(action)));
  }

  // The rest is for this thread only.
  [[nodiscard]] boost::asio::io_context& context() { return context_; }
  void add(std::shared_ptr<Connection> connection);
  void remove(Connection* connection);
  void close_idle_connections();

 private:
  // A function without arguments that can only be moved.
  struct Task {
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;
    virtual void run() = 0;
  };
  template <typename Action>
  struct TaskOf final : Task {
    explicit TaskOf(Action given) : action(std::move(given)) {}
    void run() override { action(); }
    Action action;
  };

  void post_task(std::unique_ptr<Task> task);
  void run_tasks();
  void close_all();
  void schedule_tick();
  void tick();

  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer ticker_;
  bool ticking_ = false;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::thread thread_;

  std::mutex mutex_;
  bool takes_work_ = true;  // under mutex_
  // Under mutex_. Asio alone would not keep the order: it has a queue of its own for what the loop's thread posts.
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace glovebox::http
