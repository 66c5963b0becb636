// glovebox_zygote: the part of a Python zygote that Python has no words for.
//
//   rehearse()       Forks a child that shall go through the motions of a program: True there, False in the zygote.
//   rehearsed()      Ends that child; the zygote has learnt which pages of memory such a program writes to.
//   serve()          Answers adoption requests on descriptor 3 until it closes; then the process ends. Returns only in
//                    a child: a sealed cell of its own, which holds descriptor 3 as its channel.
//   await_orders()   Tells the supervisor that the child is ready, waits for its orders, applies the limits of the run,
//                    gives up the channel and returns the orders.
//
// Built against Python's limited API, so that one file serves every CPython from 3.7 on.
#define Py_LIMITED_API 0x03070000
#include <Python.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cell_entry.h"
#include "inherited_pages.h"
#include "learned_pages.h"
#include "program_process.h"

namespace {

using namespace glovebox;
using engine::kChannelFd;

constexpr std::size_t kMaxOrders = 200U << 10U;

guest::Entry entry;

struct Adoption {
  engine::AdoptionRequest request;
  std::array<engine::ResourceLimit, engine::kMaxAdoptionLimits> limits;
};

bool is_sound(const Adoption& adoption, ssize_t size, std::size_t fds) {
  const engine::AdoptionRequest& request = adoption.request;
  return size >= static_cast<ssize_t>(sizeof(request)) && request.magic == engine::kAdoptionMagic &&
         request.into_cgroup <= 1 && request.limits <= engine::kMaxAdoptionLimits &&
         static_cast<std::size_t>(size) == sizeof(request) + request.limits * sizeof(engine::ResourceLimit) &&
         fds == engine::kAdoptionFixedFds + request.into_cgroup + request.task_fds;
}

int rehearsal_pipe = -1;

PyObject* rehearse(PyObject*, PyObject*) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    return PyErr_SetFromErrno(PyExc_OSError);
  }
  PyOS_BeforeFork();
  const pid_t child = ::_Fork();
  if (child == 0) {
    PyOS_AfterFork_Child();
    ::close(ends[0]);
    rehearsal_pipe = ends[1];
    Py_RETURN_TRUE;
  }
  PyOS_AfterFork_Parent();
  ::close(ends[1]);
  if (child > 0) {
    guest::learn_private_pages(ends[0]);
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  Py_RETURN_FALSE;
}

PyObject* rehearsed(PyObject*, PyObject*) {
  guest::tell_private_pages(rehearsal_pipe);
  ::_exit(0);
}

PyObject* serve(PyObject*, PyObject*) {
  ::signal(SIGCHLD, SIG_IGN);
  guest::inherit_file_pages();
  if (!guest::learn_thread()) {
    PyErr_SetString(PyExc_OSError, "this kernel does not tell the address of a thread's number");
    return nullptr;
  }
  if (os::send_packet(kChannelFd, &engine::kZygoteReady, 1) != 0) {
    ::_exit(1);
  }
  while (true) {
    Adoption adoption;
    os::ReceivedFds received;
    const ssize_t size = os::receive_packet(kChannelFd, &adoption, sizeof(adoption), received);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0 || !is_sound(adoption, size, received.count)) {
      ::_exit(size == 0 ? 0 : 1);  // a zygote in doubt is replaced
    }
    PyOS_BeforeFork();
    const guest::Fork fork =
        guest::fork_into_cell(adoption.request, std::span(adoption.limits.data(), adoption.request.limits),
                              std::span<const int>(received.fds.data(), received.count), entry);
    if (fork == guest::Fork::child) {
      ::signal(SIGCHLD, SIG_DFL);
      PyOS_AfterFork_Child();
      Py_RETURN_NONE;
    }
    PyOS_AfterFork_Parent();
    for (std::size_t index = 0; index < received.count; ++index) {
      ::close(received.fds[index]);
    }
  }
}

// Until the helper that gave birth to us is gone, it is our parent, and would let us die unnoticed.
void await_first_process_as_parent() {
  while (::getppid() != 1) {
    ::sched_yield();
  }
}

PyObject* await_orders(PyObject*, PyObject*) {
  await_first_process_as_parent();
  engine::CellMessage message;
  message.kind = engine::CellMessageKind::sealed;
  message.stage = engine::CellStage::seccomp;
  const std::array<int, 2> given = {entry.listener, entry.keeper};
  if (os::send_packet(kChannelFd, &message, sizeof(message), given) != 0) {
    ::_exit(125);
  }
  ::close(entry.listener);
  ::close(entry.keeper);
  static char buffer[kMaxOrders];
  os::ReceivedFds none;
  const ssize_t size = os::receive_packet(kChannelFd, buffer, sizeof(buffer), none);
  engine::OrdersHeader header;
  std::array<engine::ResourceLimit, engine::kMaxAdoptionLimits> limits;
  if (size < static_cast<ssize_t>(sizeof(header))) {
    ::_exit(0);  // the supervisor is gone or changed its mind
  }
  std::memcpy(&header, buffer, sizeof(header));
  const std::size_t limit_bytes = header.limits * sizeof(engine::ResourceLimit);
  if (header.limits > limits.size() || static_cast<std::size_t>(size) < sizeof(header) + limit_bytes) {
    ::_exit(125);
  }
  std::memcpy(limits.data(), buffer + sizeof(header), limit_bytes);
  if (!engine::set_rlimits(std::span(limits.data(), header.limits)).done) {
    ::_exit(125);
  }
  ::close(kChannelFd);
  const std::size_t start = sizeof(header) + limit_bytes;
  return PyBytes_FromStringAndSize(buffer + start, static_cast<Py_ssize_t>(static_cast<std::size_t>(size) - start));
}

PyMethodDef kMethods[] = {
    {"rehearse", rehearse, METH_NOARGS, nullptr},
    {"rehearsed", rehearsed, METH_NOARGS, nullptr},
    {"serve", serve, METH_NOARGS, nullptr},
    {"await_orders", await_orders, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "glovebox_zygote", nullptr, -1, kMethods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_glovebox_zygote() { return PyModule_Create(&kModule); }
