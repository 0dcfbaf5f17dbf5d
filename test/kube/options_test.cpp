#include "kube/options.h"

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::kube {
namespace {

class OptionsTest : public testing::Test {
 protected:
  OptionsTest() { leave_pod(); }
  ~OptionsTest() override { leave_pod(); }

  static void leave_pod() {
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
  }

  static std::string error_of(const std::vector<const char*>& arguments) {
    const auto options = parse_options(arguments);
    return options ? "" : options.error().message;
  }
};

TEST_F(OptionsTest, TakesTheServerFromThePod) {
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const std::vector<const char*> arguments = {"--driver", "d.example.com", "--node", "node-1"};
  const auto options = parse_options(arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->pool.driver, "d.example.com");
  EXPECT_EQ(options->pool.node, "node-1");
  EXPECT_EQ(options->server.url, "https://[fd00::1]:443");
  EXPECT_EQ(options->server.ca_file, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");
  EXPECT_EQ(options->server.token_file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
}

TEST_F(OptionsTest, TakesTheServerFromArguments) {
  const std::vector<const char*> arguments = {
      "--driver", "d",   "--node",           "n",   "--api-server", "https://10.0.0.1:6443",
      "--api-ca", "/ca", "--api-token-file", "/tok"};
  const auto options = parse_options(arguments);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->server.url, "https://10.0.0.1:6443");
  EXPECT_EQ(options->server.ca_file, "/ca");
  EXPECT_EQ(options->server.token_file, "/tok");
}

TEST_F(OptionsTest, NamesTheMistake) {
  EXPECT_EQ(error_of({}), "--driver: not a DNS name");
  EXPECT_EQ(error_of({"--driver", "d/..", "--node", "n"}), "--driver: not a DNS name");
  EXPECT_EQ(error_of({"--driver", "d", "--node", "N"}), "--node: not the name of a Node");
  EXPECT_EQ(error_of({"--driver"}), "--driver: value missing");
  EXPECT_EQ(error_of({"--drive", "d"}), "unknown argument --drive");
  EXPECT_EQ(error_of({"--driver", "d", "--node", "n"}),
            "API server: address not known; use --api-server https://HOST:PORT");
  EXPECT_EQ(error_of({"--driver", "d", "--node", "n", "--api-server", "http://localhost"}),
            "API server: address not known; use --api-server https://HOST:PORT");
}

}  // namespace
}  // namespace patchbay::kube
