#include "contract/run_request_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "contract/json_parse.h"
#include "contract/test_support.h"

namespace glovebox::contract {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

base::Error refusal(std::string_view text) {
  auto request = parse_run_request(text);
  EXPECT_FALSE(request.has_value()) << text.substr(0, 200);
  return request ? base::Error{} : request.error();
}

TEST(RunRequestCodec, AMinimalRequestGetsTheDefaults) {
  RunRequest expected;
  expected.code = "print(1)";
  EXPECT_EQ(parse_run_request("{\"code\":\"print(1)\"}").value(), expected);
}

TEST(RunRequestCodec, EveryGoldenRequestMakesTheRoundTrip) {
  for (const Example& example : read_examples("requests")) {
    const auto request = parse_run_request(example.text);
    ASSERT_TRUE(request.has_value()) << example.name << ": " << base::describe(request.error());
    for (const JsonStyle style : {JsonStyle::compact, JsonStyle::pretty}) {
      const auto again = parse_run_request(to_json(*request, style));
      ASSERT_TRUE(again.has_value()) << example.name << ": " << base::describe(again.error());
      EXPECT_EQ(*again, *request) << example.name;
    }
  }
}

TEST(RunRequestCodec, EveryInvalidExampleIsRefusedAtItsField) {
  for (const Example& example : read_examples("invalid")) {
    const auto document = nlohmann::json::parse(example.text);
    const auto& expected = document.at("expected");
    const std::string text = document.contains("request_text") ? document.at("request_text").get<std::string>()
                                                               : document.at("request").dump();
    const base::Error error = refusal(text);
    EXPECT_EQ(base::to_string(error.code), expected.at("code").get<std::string>()) << example.name;
    EXPECT_EQ(error.field, expected.at("field").get<std::string>()) << example.name << ": " << error.message;
    EXPECT_FALSE(error.message.empty()) << example.name;
    if (expected.contains("hint")) {
      EXPECT_EQ(error.hint, expected.at("hint").get<std::string>()) << example.name;
    }
  }
}

TEST(RunRequestCodec, ReadsEveryField) {
  const auto parsed = parse_run_request(read_contract_file("examples/requests/every_field.json"));
  ASSERT_TRUE(parsed.has_value());
  const RunRequest& request = *parsed;
  EXPECT_EQ(request.standard_input, "line one\nline two\n");
  EXPECT_EQ(request.args, (std::vector<std::string>{"--rows", "10", ""}));
  EXPECT_EQ(request.env.at("MODE"), "fast");
  ASSERT_EQ(request.files.size(), 4U);
  EXPECT_EQ(std::get<std::string>(request.files[0].content), "a,b\n1,2\n");
  EXPECT_EQ(std::get<BlobRef>(request.files[1].content).sha256.size(), 64U);
  EXPECT_EQ(std::get<std::string>(request.files[2].content), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(request.limits.wall_ms, 2000U);
  EXPECT_EQ(request.limits.input_rows, 1000U);
  EXPECT_EQ(request.policy, "sandboxed_python");
  EXPECT_EQ(request.artifacts, (std::vector<std::string>{"*.png", "out/**"}));
  EXPECT_THAT(request.expect_json.value(), HasSubstr(R"({"stdout_json_schema":{"type":"array"},)"));
  EXPECT_EQ(request.cache, CacheMode::off);
  EXPECT_EQ(request.idempotency_key, "order 66/7");
  EXPECT_TRUE(request.deterministic);
  EXPECT_EQ(request.input_json, "[1,2]");
}

TEST(RunRequestCodec, InputKeepsEveryDigitAndMayBeNull) {
  EXPECT_EQ(parse_run_request(R"({"code":"","input": [ 123456789012345678901234567890, 0.10 ]})")->input_json,
            "[123456789012345678901234567890,0.10]");
  EXPECT_EQ(parse_run_request(R"({"code":"","input":null})")->input_json, "null");
  EXPECT_EQ(parse_run_request(R"({"code":"","input":"a\"b"})")->input_json, R"("a\"b")");
  EXPECT_THAT(to_json(*parse_run_request(R"({"code":"","input":1e5})")), HasSubstr(R"("input":1e5,)"));
  EXPECT_THAT(to_json(RunRequest{}), testing::Not(HasSubstr("\"input\":")));
}

TEST(RunRequestCodec, AnEmptyExpectCountsAsAbsent) {
  EXPECT_EQ(parse_run_request(R"({"code":"","expect":{ }})")->expect_json, std::nullopt);
  EXPECT_EQ(parse_run_request(R"({"code":"","expect":{"invariants":[]}})")->expect_json, R"({"invariants":[]})");
}

TEST(RunRequestCodec, BytesThatAreNotTextTravelAsBase64) {
  RunRequest request;
  std::string bytes;
  for (int value = 0; value < 256; ++value) {
    bytes += static_cast<char>(value);
  }
  request.files = {{base::RelPath::parse("all.bin").value(), bytes}, {base::RelPath::parse("text").value(), "é\n"}};
  const std::string text = to_json(request);
  EXPECT_THAT(text, HasSubstr(R"("encoding":"base64")"));
  EXPECT_THAT(text, HasSubstr(R"({"path":"text","content":"é\n"})"));
  EXPECT_EQ(parse_run_request(text).value(), request);
}

TEST(RunRequestCodec, TextThatIsNotUtf8StillGivesValidJson) {
  RunRequest request;
  request.code = "print('\xe9')";
  EXPECT_EQ(parse_run_request(to_json(request))->code, "print('\xef\xbf\xbd')");
}

TEST(RunRequestCodec, InvalidUtf8IsRefusedByName) {
  EXPECT_THAT(refusal("{\"code\":\"\xff\"}").message, HasSubstr("ill-formed UTF-8"));
  EXPECT_THAT(refusal("{\"code\":\"\",\"input\":[\"\xc3\x28\"]}").message, HasSubstr("ill-formed UTF-8"));
}

TEST(RunRequestCodec, AnUnknownFieldAtAnyLevelIsNamed) {
  EXPECT_EQ(refusal(R"({"code":"","zebra":1})").field, "zebra");
  EXPECT_THAT(refusal(R"({"code":"","zebra":1})").hint, HasSubstr("the fields here are language, code"));
  EXPECT_EQ(refusal(R"({"code":"","limits":{"zebra":1}})").field, "limits.zebra");
  EXPECT_EQ(refusal(R"({"code":"","network":{"zebra":1}})").field, "network.zebra");
  EXPECT_EQ(refusal(R"({"code":"","files":[{"path":"a","content":""},{"zebra":1}]})").field, "files[1].zebra");
  EXPECT_EQ(refusal(R"({"code":"","expect":{"zebra":1}})").field, "expect.zebra");
  EXPECT_EQ(refusal(R"({"code":"","expect":{"artifacts":[{"path":"a","zebra":1}]}})").field,
            "expect.artifacts[0].zebra");
}

TEST(RunRequestCodec, ADuplicateKeyAtAnyLevelIsNamed) {
  EXPECT_EQ(refusal(R"({"code":"","code":""})").field, "code");
  EXPECT_EQ(refusal(R"({"code":"","env":{"A":"","A":""}})").field, "env.A");
  EXPECT_EQ(refusal(R"({"code":"","files":[{"path":"a","path":"b","content":""}]})").field, "files[0].path");
  EXPECT_EQ(refusal(R"({"code":"","input":{"x":{"y":1,"y":1}}})").field, "input.x.y");
  EXPECT_EQ(refusal(R"({"code":"","expect":{"stdout_json_schema":{"type":1,"type":2}}})").field,
            "expect.stdout_json_schema.type");
}

TEST(RunRequestCodec, EnumsListTheirValues) {
  EXPECT_THAT(refusal(R"({"code":"","isolation":"docker"})").message, HasSubstr("process, container, vm, wasm, none"));
  EXPECT_THAT(refusal(R"({"code":"","cache":"no"})").message, HasSubstr("use, refresh, off"));
}

TEST(RunRequestCodec, ALongTextIsRefusedByItsSize) {
  const base::Error error = parse_run_request(R"({"code":"0123456789"})", 10).error();
  EXPECT_EQ(error.code, ErrorCode::input_too_large);
}

TEST(RunRequestCodec, EveryFieldOfTheWrongTypeIsNamed) {
  const auto request = nlohmann::json::parse(to_json(RunRequest{}));
  for (const auto& [name, value] : request.items()) {
    auto wrong = request;
    wrong[name] = value.is_array() ? nlohmann::json(true) : nlohmann::json::array({nlohmann::json::array()});
    EXPECT_EQ(refusal(wrong.dump()).field, name);
  }
}

TEST(RunRequestCodec, FieldsAreWrittenInTheOrderOfTheContract) {
  const std::string text = to_json(RunRequest{});
  std::size_t position = 0;
  for (const char* name : {"language", "code", "stdin", "args", "env", "files", "limits", "network", "isolation",
                           "policy", "artifacts", "expect", "cache", "idempotency_key", "deterministic"}) {
    const std::size_t found = text.find("\"" + std::string(name) + "\":", position);
    ASSERT_NE(found, text.npos) << name;
    position = found;
  }
}

}  // namespace
}  // namespace glovebox::contract
