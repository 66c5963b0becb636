#include "telemetry/trace_config.h"

#include <gtest/gtest.h>

#include <map>

namespace glovebox::telemetry {
namespace {

base::Result<TraceConfig> configure(const std::map<std::string, std::string>& variables) {
  const auto look_up = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  return trace_config(look_up, "1.2.3");
}

std::string text_of(const Resource& resource, std::string_view key) {
  for (const Attribute& attribute : resource) {
    if (attribute.key == key) {
      return std::get<std::string>(attribute.value);
    }
  }
  return "(none)";
}

TEST(TraceConfig, IsOffWithoutAnEndpoint) {
  EXPECT_FALSE(configure({})->exporter);
  EXPECT_FALSE(configure({{"OTEL_SERVICE_NAME", "x"}})->exporter);
  const std::string endpoint = "http://127.0.0.1:4318";
  EXPECT_TRUE(configure({{"OTEL_EXPORTER_OTLP_ENDPOINT", endpoint}})->exporter);
  EXPECT_FALSE(configure({{"OTEL_EXPORTER_OTLP_ENDPOINT", endpoint}, {"OTEL_SDK_DISABLED", "True"}})->exporter);
  EXPECT_FALSE(configure({{"OTEL_EXPORTER_OTLP_ENDPOINT", endpoint}, {"OTEL_TRACES_EXPORTER", "none"}})->exporter);
}

TEST(TraceConfig, AddsThePathToTheSharedEndpointOnly) {
  const auto endpoint = [](const std::map<std::string, std::string>& variables) {
    return configure(variables)->exporter->endpoint;
  };
  EXPECT_EQ(endpoint({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"}}), "http://127.0.0.1:4318/v1/traces");
  EXPECT_EQ(endpoint({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1]:4318/otlp/"}}), "http://[::1]:4318/otlp/v1/traces");
  EXPECT_EQ(endpoint({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"},
                      {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:2/in"}}),
            "http://127.0.0.1:2/in");
}

TEST(TraceConfig, ReadsHeadersResourceSamplerAndTimeout) {
  const auto config = configure({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"},
                                 {"OTEL_EXPORTER_OTLP_HEADERS", "ignored=1"},
                                 {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=Bearer%20abc, x-team = a=b"},
                                 {"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=prod,service.name=from_list"},
                                 {"OTEL_SERVICE_NAME", "boxes"},
                                 {"OTEL_TRACES_SAMPLER", "parentbased_traceidratio"},
                                 {"OTEL_TRACES_SAMPLER_ARG", "0.1"},
                                 {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"},
                                 {"OTEL_EXPORTER_OTLP_TIMEOUT", "2500"}});
  ASSERT_TRUE(config) << base::describe(config.error());
  const ExporterOptions& options = *config->exporter;
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(options.headers, (Headers{{"authorization", "Bearer abc"}, {"x-team", "a=b"}}));
  EXPECT_EQ(text_of(options.resource, "service.name"), "boxes");
  EXPECT_EQ(text_of(options.resource, "service.version"), "1.2.3");
  EXPECT_EQ(text_of(options.resource, "deployment.environment"), "prod");
  EXPECT_EQ(options.request_timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(config->sampler, (Sampler{0.1, Sampler::Parent::decides}));
}

TEST(TraceConfig, RefusesWhatItCannotDo) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"OTEL_TRACES_EXPORTER", "zipkin"},
      {"OTEL_TRACES_SAMPLER", "jaeger_remote"},
      {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "0"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "soon"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "authorization"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "=x"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "a=%zz"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "a=%0"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0aX-Injected:%201"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "a b=c"},
      {"OTEL_RESOURCE_ATTRIBUTES", "no equals"},
      {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318/?key=1"},
  };
  for (const auto& [name, value] : bad) {
    std::map<std::string, std::string> variables = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"}};
    variables[name] = value;
    const auto config = configure(variables);
    ASSERT_FALSE(config) << name << "=" << value;
    EXPECT_NE(config.error().message.find(name.substr(0, 12)), std::string::npos) << config.error().message;
  }
}

TEST(TraceConfig, KeepsSecretsOutOfItsMessages) {
  const auto config = configure({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"},
                                 {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=hunter2,broken"}});
  ASSERT_FALSE(config);
  EXPECT_EQ(base::describe(config.error()).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace glovebox::telemetry
