// Server and client together, over real sockets. The hostile half is in tests/server.
#include "server/http/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "server/http/client.h"
#include "server/http/problem.h"

namespace glovebox::http {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Server> serve(Handler handler, std::vector<std::string> listen = {"127.0.0.1:0"}) {
  ServerOptions options;
  options.listen = std::move(listen);
  auto server = Server::start(std::move(options), std::move(handler));
  EXPECT_TRUE(server.has_value()) << base::describe(server.error());
  return std::move(*server);
}

Client client_of(const Server& server, std::size_t index = 0) {
  ClientOptions options;
  options.io_timeout = 5s;
  return std::move(Client::to(server.addresses().at(index), options).value());
}

ClientRequest request_for(std::string target, std::string method = "GET", std::string body = "") {
  ClientRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

void echo(const std::shared_ptr<Exchange>& exchange) {
  Response response;
  response.headers.add("X-Method", exchange->request().method);
  response.body = std::move(exchange->request().body);
  exchange->respond(std::move(response));
}

TEST(Server, AnswersManyRequestsOnOneConnection) {
  const auto server = serve(echo);
  Client client = client_of(*server);
  for (const std::size_t size : {0U, 1U, 100U, 20'000U, 900'000U}) {
    const std::string body(size, 'b');
    const auto response = client.send(request_for("/", "POST", body));
    ASSERT_TRUE(response.has_value()) << base::describe(response.error());
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, body);
  }
  EXPECT_EQ(server->stats().connections_accepted, 1U);
  EXPECT_EQ(server->stats().requests_started, 5U);
}

TEST(Server, ListensInSeveralPlaces) {
  const std::string path = testing::TempDir() + "http_test." + std::to_string(::getpid()) + ".sock";
  {
    const auto server = serve(
        [](const std::shared_ptr<Exchange>& exchange) {
          Response response;
          const Peer& peer = exchange->request().peer;
          response.body = peer.is_unix_socket && peer.uid == ::getuid() ? "unix" : peer.is_loopback ? "loopback" : "?";
          exchange->respond(std::move(response));
        },
        {"localhost:0", "unix:" + path});
    ASSERT_EQ(server->addresses().size(), 2U);
    EXPECT_EQ(client_of(*server, 0).send(request_for("/"))->body, "loopback");
    EXPECT_EQ(client_of(*server, 1).send(request_for("/"))->body, "unix");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);

    ServerOptions second;
    second.listen = {"unix:" + path};
    EXPECT_FALSE(Server::start(second, echo).has_value()) << "took a socket that is alive";
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST(Server, ReachesASocketBelowADirectoryOfAnyDepth) {
  std::string directory = testing::TempDir() + "http_deep." + std::to_string(::getpid());
  ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
  std::vector<std::string> made = {directory};
  while (directory.size() < 250) {
    directory += "/" + std::string(60, 'd');
    ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
    made.push_back(directory);
  }
  const std::string path = directory + "/glovebox.sock";
  for (int times = 0; times < 2; ++times) {
    const auto server = serve(echo, {"unix:" + path});
    EXPECT_EQ(server->addresses().front(), "unix:" + path);
    EXPECT_EQ(client_of(*server).send(request_for("/"))->status, 200);
    ServerOptions second;
    second.listen = {"unix:" + path};
    EXPECT_FALSE(Server::start(second, echo).has_value()) << "took a socket that is alive";
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  ServerOptions nameless;
  nameless.listen = {"unix:" + directory + "/" + std::string(120, 'n')};
  EXPECT_FALSE(Server::start(nameless, echo).has_value());
  for (auto each = made.rbegin(); each != made.rend(); ++each) {
    ::rmdir(each->c_str());
  }
}

TEST(Server, TheOwnersSocketIsForNobodyElse) {
  const std::string start = testing::TempDir() + "http_modes." + std::to_string(::getpid());
  ServerOptions options;
  options.listen = {"unix:" + start + ".open"};
  options.unix_socket_mode = 0666;
  options.owner_socket = start + ".own";
  const auto server = Server::start(std::move(options), echo);
  ASSERT_TRUE(server.has_value());
  struct stat status {};
  ASSERT_EQ(::stat((start + ".open").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0666U);
  ASSERT_EQ(::stat((start + ".own").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Server, TheOwnerGetsInHoweverCrowdedItIs) {
  const std::string own = testing::TempDir() + "http_crowd." + std::to_string(::getpid()) + ".own";
  ServerOptions options;
  options.listen = {"localhost:0"};
  options.owner_socket = own;
  options.limits.connections = 4;
  const auto server = Server::start(std::move(options), echo);
  ASSERT_TRUE(server.has_value());
  std::vector<Client> strangers;
  for (int count = 0; count < 4; ++count) {
    strangers.push_back(client_of(**server, 0));
    ASSERT_EQ(strangers.back().send(request_for("/"))->status, 200);
  }
  EXPECT_EQ(client_of(**server, 0).send(request_for("/"))->status, 503);
  EXPECT_EQ(client_of(**server, 1).send(request_for("/"))->status, 200);
}

TEST(Server, BodiesInMemoryHaveOneBoundForAllAndSmallOnesAlwaysPass) {
  constexpr std::size_t kBig = 600U << 10U;
  std::mutex mutex;
  std::vector<std::shared_ptr<Exchange>> waiting;
  std::condition_variable arrived;
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.limits.all_bodies_bytes = 1U << 20U;
  const auto server = Server::start(std::move(options), [&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().target == "/hold") {
      const std::lock_guard lock(mutex);
      exchange->request().body = {};  // parsed, and still in memory in another form
      waiting.push_back(exchange);
      arrived.notify_all();
    } else {
      echo(exchange);
    }
  });
  ASSERT_TRUE(server.has_value());
  Client holding = client_of(**server);
  std::jthread held(
      [&] { EXPECT_EQ(holding.send(request_for("/hold", "POST", std::string(kBig, 'b')))->status, 200); });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(arrived.wait_for(lock, 5s, [&] { return !waiting.empty(); }));
  }
  EXPECT_GT((*server)->stats().body_bytes_held, kBig / 2);
  const auto refused = client_of(**server).send(request_for("/", "POST", std::string(kBig, 'b')));
  ASSERT_TRUE(refused.has_value()) << base::describe(refused.error());
  EXPECT_EQ(refused->status, 503);
  EXPECT_NE(refused->body.find("overloaded"), std::string::npos);
  EXPECT_EQ(refused->headers.get("Retry-After"), "1");
  EXPECT_EQ(client_of(**server).send(request_for("/", "POST", "stop"))->status, 200);
  {
    const std::lock_guard lock(mutex);
    waiting.front()->respond({});
    waiting.clear();
  }
  held.join();
  EXPECT_EQ((*server)->stats().body_bytes_held, 0U);
  EXPECT_EQ(client_of(**server).send(request_for("/", "POST", std::string(kBig, 'b')))->status, 200);
}

TEST(Server, ReplacesASocketThatNobodyListensOnAndNothingElse) {
  const std::string path = testing::TempDir() + "http_stale." + std::to_string(::getpid()) + ".sock";
  // What a server that was killed leaves: bound, and the descriptor closed without unlink.
  const auto listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(listener);
  { EXPECT_EQ(client_of(*serve(echo, {"unix:" + path})).send(request_for("/"))->status, 200); }

  ::close(::open(path.c_str(), O_CREAT | O_CLOEXEC | O_WRONLY, 0600));
  ServerOptions options;
  options.listen = {"unix:" + path};
  EXPECT_FALSE(Server::start(options, echo).has_value());
  EXPECT_EQ(::access(path.c_str(), F_OK), 0) << "removed somebody's file";
  ::unlink(path.c_str());
}

TEST(Server, CanBeAnsweredFromAnotherThreadAndStreams) {
  std::vector<std::thread> threads;
  {
    const auto server = serve([&](std::shared_ptr<Exchange> exchange) {
      threads.emplace_back([exchange = std::move(exchange)] {
        exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
        for (int index = 0; index < 100; ++index) {
          ASSERT_TRUE(exchange->write(format_event({"n", std::to_string(index), ""})));
        }
        exchange->end();
      });
    });
    Client client = client_of(*server);
    for (int round = 0; round < 2; ++round) {
      std::vector<std::string> seen;
      const auto response = client.stream(request_for("/"), [&](const ServerSentEvent& event) {
        seen.push_back(event.data);
        return true;
      });
      ASSERT_TRUE(response.has_value()) << base::describe(response.error());
      ASSERT_EQ(seen.size(), 100U);
      EXPECT_EQ(seen.front(), "0");
      EXPECT_EQ(seen.back(), "99");
    }
    EXPECT_EQ(server->stats().connections_accepted, 1U);
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

// The thread that makes an answer sends it; what the kernel does not take at once is left to the connection.
TEST(Server, AnswersOfOtherThreadsArriveWholeAndInOrderAtASlowReader) {
  constexpr int kRequests = 1500;
  constexpr std::size_t kBodyBytes = 15'000;
  std::vector<std::thread> threads;
  std::string received;
  {
    const auto server = serve([&](std::shared_ptr<Exchange> exchange) {
      threads.emplace_back([exchange = std::move(exchange)] {
        Response response;
        response.body = exchange->request().path.front() + ";";
        response.body.resize(kBodyBytes, '.');
        exchange->respond(std::move(response));
      });
    });
    const int port = std::stoi(server->addresses().front().substr(server->addresses().front().rfind(':') + 1));
    const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    std::thread asking([&] {
      for (int index = 0; index < kRequests; ++index) {
        const std::string last = index + 1 == kRequests ? "Connection: close\r\n" : "";
        const std::string head = "GET /" + std::to_string(index) + " HTTP/1.1\r\nHost: localhost\r\n" + last + "\r\n";
        ASSERT_EQ(::send(socket.get(), head.data(), head.size(), MSG_NOSIGNAL), static_cast<ssize_t>(head.size()));
      }
    });
    std::this_thread::sleep_for(300ms);  // until no more fits between the two
    std::vector<char> buffer(64U << 10U);
    for (ssize_t count = 1; count > 0;) {
      count = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
      received.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    asking.join();
  }
  for (auto& thread : threads) {
    thread.join();
  }
  std::size_t at = 0;
  for (int index = 0; index < kRequests; ++index) {
    at = received.find("\r\n\r\n", at);
    ASSERT_NE(at, std::string::npos) << index;
    at += 4;
    ASSERT_EQ(received.substr(at, received.find(';', at) - at), std::to_string(index));
    at += kBodyBytes;
  }
  EXPECT_EQ(at, received.size());
}

TEST(Server, KeepsTheOrderOfAStreamThatTwoThreadsWrite) {
  for (int round = 0; round < 20; ++round) {
    std::thread writer;
    const auto server = serve([&](const std::shared_ptr<Exchange>& exchange) {
      exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
      std::atomic<bool> written = false;
      writer = std::thread([&written, exchange] {
        EXPECT_TRUE(exchange->write(format_event({"", "first", ""})));
        written = true;
      });
      while (!written) {
        std::this_thread::yield();
      }
      EXPECT_TRUE(exchange->write(format_event({"", "second", ""})));
      exchange->end();
    });
    std::string seen;
    ASSERT_TRUE(client_of(*server).stream(request_for("/"), [&](const ServerSentEvent& event) {
      seen += event.data + " ";
      return true;
    }));
    EXPECT_EQ(seen, "first second ");
    writer.join();
  }
}

TEST(Server, TellsWhoeverIsAnsweringThatTheClientLeft) {
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<Exchange> kept;
  bool gone = false;
  const auto server = serve([&](std::shared_ptr<Exchange> exchange) {
    exchange->on_disconnect([&] {
      const std::lock_guard lock(mutex);
      gone = true;
      changed.notify_all();
    });
    const std::lock_guard lock(mutex);
    kept = std::move(exchange);
  });
  {
    ClientOptions options;
    options.io_timeout = 50ms;
    Client impatient = std::move(Client::to(server->addresses().front(), options).value());
    EXPECT_FALSE(impatient.send(request_for("/")).has_value());
  }
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, 5s, [&] { return gone; }));
  kept->respond({});
}

TEST(Server, ExchangesMayOutliveIt) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::shared_ptr<Exchange>> kept;
  std::atomic<int> gone = 0;
  auto server = serve([&](std::shared_ptr<Exchange> exchange) {
    exchange->on_disconnect([&gone, exchange] { ++gone; });  // a cycle, which the server has to break
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(exchange));
    changed.notify_all();
  });
  std::thread waiting(
      [client = client_of(*server)]() mutable { EXPECT_FALSE(client.send(request_for("/")).has_value()); });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 5s, [&] { return !kept.empty(); }));
  }
  server.reset();
  waiting.join();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(kept.front().use_count(), 1);
  kept.front()->respond({});
  EXPECT_FALSE(kept.front()->write("x"));
}

TEST(Server, DrainsByFinishingWhatWasBegun) {
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<Exchange> kept;
  const auto server = serve([&](std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex);
    kept = std::move(exchange);
    changed.notify_all();
  });
  Client idle = client_of(*server);
  std::thread waiting([&, client = client_of(*server)]() mutable {
    const auto response = client.send(request_for("/"));
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->body, "done");
    EXPECT_TRUE(response->headers.has_token("Connection", "close"));
  });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 5s, [&] { return kept != nullptr; }));
  }
  EXPECT_FALSE(server->drain(50ms)) << "a request was still being answered";
  Response response;
  response.body = "done";
  kept->respond(std::move(response));
  waiting.join();
  EXPECT_TRUE(server->drain(5s));
  EXPECT_FALSE(idle.send(request_for("/")).has_value()) << "still accepting";
}

TEST(Client, SendsAFileAndDownloadsInPieces) {
  const auto server = serve(echo);
  const std::string path = testing::TempDir() + "http_upload." + std::to_string(::getpid());
  const base::Fd file(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  ::unlink(path.c_str());
  const std::string content(300'000, 'u');
  ASSERT_EQ(::write(file.get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
  ::lseek(file.get(), 0, SEEK_SET);
  ClientRequest request = request_for("/", "PUT");
  request.body_fd = file.get();
  request.body_fd_bytes = content.size();
  std::string got;
  Client client = client_of(*server);
  const auto response = client.download(request, [&](std::string_view bytes) {
    got += bytes;
    return true;
  });
  ASSERT_TRUE(response.has_value()) << base::describe(response.error());
  EXPECT_EQ(got, content);
  EXPECT_TRUE(response->body.empty());
}

TEST(Client, OpensAConnectionAgainThatWasClosedWhileIdle) {
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.limits.idle_timeout = 50ms;
  const auto server = std::move(Server::start(std::move(options), echo).value());
  Client client = client_of(*server);
  EXPECT_EQ(client.send(request_for("/"))->status, 200);
  std::this_thread::sleep_for(400ms);
  EXPECT_EQ(server->stats().connections_open, 0U);
  const auto again = client.send(request_for("/"));
  ASSERT_TRUE(again.has_value()) << base::describe(again.error());
  EXPECT_EQ(again->status, 200);
}

TEST(Client, AnswersToHeadHaveNoBody) {
  const auto server = serve([](const std::shared_ptr<Exchange>& exchange) {
    Response response;
    response.body = "body";
    exchange->respond(std::move(response));
  });
  Client client = client_of(*server);
  const auto head = client.send(request_for("/", "HEAD"));
  EXPECT_EQ(head->headers.get("Content-Length"), "4");
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(client.send(request_for("/"))->body, "body");
}

TEST(Client, RefusesWhatItCannotSend) {
  const auto server = serve(echo);
  Client client = client_of(*server);
  EXPECT_FALSE(client.send(request_for("/a b")).has_value());
  EXPECT_FALSE(client.send(request_for("/\r\nX: y")).has_value());
  ClientRequest request = request_for("/");
  request.headers.add("X", "a\r\nY: b");
  EXPECT_FALSE(client.send(request).has_value());
  EXPECT_EQ(server->stats().requests_started, 0U);
}

TEST(Client, UnderstandsOnlyLiterals) {
  for (const std::string_view address : {"127.0.0.1:80", "http://[::1]:80/", "localhost:80", "unix:/tmp/x"}) {
    EXPECT_TRUE(Client::to(address).has_value()) << address;
  }
  for (const std::string_view address : {"example.com:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", ":80",
                                         "unix:", "[::1:80", "https://127.0.0.1:80", "127.0.0.1:80x"}) {
    EXPECT_FALSE(Client::to(address).has_value()) << address;
  }
}

}  // namespace
}  // namespace glovebox::http
