#include "os/packets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "os/pairs.h"

namespace glovebox::os {
namespace {

using base::Fd;

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return std::distance(begin(entries), end(entries));
}

class PacketsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(make_socket_pair(near_, far_), 0); }
  [[nodiscard]] int send(std::string_view text, std::span<const int> fds = {}) const {
    return send_packet(near_.get(), text.data(), text.size(), fds);
  }

  Fd near_;
  Fd far_;
};

TEST_F(PacketsTest, KeepsTheBordersBetweenMessages) {
  ASSERT_EQ(send("first"), 0);
  ASSERT_EQ(send("second"), 0);
  std::array<char, 64> buffer{};
  ReceivedFds received;
  EXPECT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received), 5);
  EXPECT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received), 6);
  EXPECT_EQ(std::string_view(buffer.data(), 6), "second");
  EXPECT_EQ(received.count, 0U);
}

TEST_F(PacketsTest, CarriesDescriptorsThatWorkAndCloseOnExec) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  ASSERT_EQ(send("x", std::vector<int>{write_end.get()}), 0);
  write_end.reset();

  std::array<char, 8> buffer{};
  ReceivedFds received;
  ASSERT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received), 1);
  ASSERT_EQ(received.count, 1U);
  const Fd copy(received.fds[0]);
  EXPECT_NE(::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_EQ(::write(copy.get(), "hello", 5), 5);
  EXPECT_EQ(::read(read_end.get(), buffer.data(), buffer.size()), 5);
}

TEST_F(PacketsTest, CarriesAsManyDescriptorsAsItPromises) {
  const std::vector<int> many(kMaxPacketFds, far_.get());
  ASSERT_EQ(send("x", many), 0);
  std::array<char, 8> buffer{};
  ReceivedFds received;
  ASSERT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received), 1);
  EXPECT_EQ(received.count, kMaxPacketFds);
  for (std::size_t index = 0; index < received.count; ++index) {
    ::close(received.fds[index]);
  }
}

TEST_F(PacketsTest, RefusesToSendMoreDescriptorsThanTheReceiverTakes) {
  const std::vector<int> many(kMaxPacketFds + 1, far_.get());
  errno = 0;
  EXPECT_EQ(send("x", many), -1);
  EXPECT_EQ(errno, EMSGSIZE);
}

TEST_F(PacketsTest, AMessageThatIsCutIsAnErrorAndItsDescriptorsAreClosed) {
  ASSERT_EQ(send("too long for the buffer", std::vector<int>{far_.get(), near_.get()}), 0);
  const auto before = open_descriptors();
  std::array<char, 4> buffer{};
  ReceivedFds received;
  errno = 0;
  EXPECT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received), -1);
  EXPECT_EQ(errno, EMSGSIZE);
  EXPECT_EQ(received.count, 0U);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(PacketsTest, TellsTheEndOfTheStreamFromAnEmptyQueue) {
  std::array<char, 4> buffer{};
  ReceivedFds received;
  errno = 0;
  EXPECT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received, MSG_DONTWAIT), -1);
  EXPECT_EQ(errno, EAGAIN);
  near_.reset();
  EXPECT_EQ(receive_packet(far_.get(), buffer.data(), buffer.size(), received), 0);
}

TEST_F(PacketsTest, SendingToNobodyIsAnErrorAndNoSignal) {
  far_.reset();
  errno = 0;
  EXPECT_EQ(send("x"), -1);
  EXPECT_EQ(errno, EPIPE);
}

}  // namespace
}  // namespace glovebox::os
