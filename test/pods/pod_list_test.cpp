#include <string>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include "fake/pod_resources_server.h"
#include "pods/pod_resources.h"

namespace patchbay::pods {
namespace {

const ResourceNames kOfferedHere{"a.io/tty", "b.io/x"};

/// The devices in an answer as "namespace/pod/container resource device; …", then those of
/// ResourceClaims as "namespace/claim driver pool device; …"; or the error.
std::string read(const std::string& bytes) {
  // A message may arrive in chunks, so this reads chunks of 7 bytes.
  google::protobuf::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()), 7);
  const auto list = read_pod_list(in, kOfferedHere);
  if (!list) return "error: " + list.error().message;
  std::string text;
  for (const DeviceAllocation& one : list->allocations) {
    text += (text.empty() ? "" : "; ") + one.container->pod_namespace + "/" + one.container->pod +
            "/" + one.container->name + " " + one.resource + " " + one.device;
  }
  for (const PodClaimDevice& one : list->claims) {
    text += (text.empty() ? "" : "; ") + one.claim_namespace + "/" + one.claim + " " + one.driver +
            " " + one.pool + " " + one.device;
  }
  return text;
}

std::string read(const v1::ListPodResourcesResponse& list) {
  return read(list.SerializeAsString());
}

/// A field of protobuf with a length, such as a text or a message.
std::string field(int number, const std::string& value) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  for (size_t left = value.size();; left >>= 7) {
    text += static_cast<char>(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return text + value;
}

TEST(PodList, ListsContainersOfOurDevices) {
  auto list = fake::pod_list({{"default", "p", "c", "a.io/tty", {"u1", "u2"}},
                              {"lab", "q", "d", "other.io/gpu", {"0"}},
                              {"lab", "r", "e", "b.io/x", {"x::0"}}});
  list.add_pod_resources()->set_name("idle");
  auto& pod = *list.mutable_pod_resources(0);
  pod.add_containers()->set_name("bare");
  auto& second = *pod.add_containers();
  second.set_name("second");
  auto& devices = *second.add_devices();
  devices.set_resource_name("a.io/tty");
  devices.add_device_ids("u3");
  devices.add_device_ids("u4");
  EXPECT_EQ(read(list),
            "default/p/c a.io/tty u1; default/p/c a.io/tty u2; default/p/second a.io/tty u3; "
            "default/p/second a.io/tty u4; lab/r/e b.io/x x::0");
}

TEST(PodList, ListsDevicesOfResourceClaimsOfAllDrivers) {
  v1::ListPodResourcesResponse list;
  auto& container = *list.add_pod_resources()->add_containers();
  for (const char* const name : {"disk", "gpu"}) {
    auto& claim = *container.add_dynamic_resources();
    claim.set_claim_namespace("lab");
    claim.set_claim_name(name);
    for (const char* const device : {"d0", "d1"}) {
      auto& resource = *claim.add_claim_resources();
      resource.set_driver_name(std::string(name) + ".example.com");
      resource.set_pool_name("node-1");
      resource.set_device_name(device);
    }
  }
  EXPECT_EQ(read(list),
            "lab/disk disk.example.com node-1 d0; lab/disk disk.example.com node-1 d1; "
            "lab/gpu gpu.example.com node-1 d0; lab/gpu gpu.example.com node-1 d1");
}

TEST(PodList, AcceptsAnEmptyAnswer) { EXPECT_EQ(read(""), ""); }

TEST(PodList, RejectsAnswerWithoutOurPod) {
  const auto error_of = [](const std::string& own_pod) {
    const std::string bytes =
        fake::pod_list({{"lab", "p", "c", "a.io/tty", {"u1"}}}).SerializeAsString();
    google::protobuf::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()));
    const auto list = read_pod_list(in, kOfferedHere, own_pod);
    return list ? "" : list.error().message;
  };
  EXPECT_EQ(error_of("lab/p"), "");
  EXPECT_EQ(error_of("lab/own"), "it lacks our Pod lab/own");
  EXPECT_EQ(error_of("other/p"), "it lacks our Pod other/p");
}

TEST(PodList, IgnoresUnknownFields) {
  // Adds fields of later kubelets, of each wire type, before and between the known ones.
  const std::string later = std::string("\xf8\x01\x05", 3) + "\xf1\x01" + std::string(8, 'x') +
                            field(31, "later").replace(0, 1, "\xfa\x01") + "\xf5\x01" + "four";
  const std::string devices = field(1, "a.io/tty") + later + field(2, "u1");
  const std::string container = later + field(1, "c") + field(2, devices) + field(3, "cpus");
  EXPECT_EQ(read(later + field(1, later + field(1, "p") + field(2, "n") + field(3, container))),
            "n/p/c a.io/tty u1");
}

TEST(PodList, TheOrderOfFieldsDoesNotMatter) {
  const std::string devices = field(2, "u1") + field(1, "a.io/tty") + field(2, "u2");
  const std::string container = field(2, devices) + field(1, "c");
  EXPECT_EQ(read(field(1, field(3, container) + field(2, "n") + field(1, "p"))),
            "n/p/c a.io/tty u1; n/p/c a.io/tty u2");
}

TEST(PodList, RejectsTruncatedAnswers) {
  const std::string whole =
      fake::pod_list({{"default", "p", "c", "a.io/tty", {"u1"}}}).SerializeAsString();
  for (size_t length = 1; length < whole.size(); ++length) {
    EXPECT_EQ(read(whole.substr(0, length)), "error: it cannot be read") << length;
  }
  // This field is longer than the message that contains it.
  EXPECT_EQ(read(field(1, std::string("\x1a\x7f", 2)) + field(9, std::string(200, 'x'))),
            "error: it cannot be read");
}

TEST(PodList, RejectsTooManyDevicesOfOurResources) {
  const std::vector<std::string> many(kMaxAllocations / 2, "u");
  const fake::Held half{"n", "p", "c", "a.io/tty", many};
  EXPECT_TRUE(read(fake::pod_list({half, half})).starts_with("n/p/c"));
  EXPECT_EQ(read(fake::pod_list({half, half, {"n", "q", "c", "b.io/x", {"x"}}})),
            "error: it lists more than 8192 devices");
  // Devices of other resources do not count for the limit.
  fake::Held others = half;
  others.resource = "other.io/gpu";
  EXPECT_EQ(read(fake::pod_list({others, others, others, {"n", "q", "c", "b.io/x", {"x"}}})),
            "n/q/c b.io/x x");
}

}  // namespace
}  // namespace patchbay::pods
