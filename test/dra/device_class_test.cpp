#include "dra/device_class.h"

#include <gtest/gtest.h>

#include "dra/dra_fixture.h"

namespace patchbay::dra {
namespace {

TEST(DeviceClass, HasTemplateAndPodAsComments) {
  const auto plan = dra_plan("  - {name: lab.example.com/uart, match: {static: [a]}}\n");
  EXPECT_EQ(device_class_yaml(plan->driver, *plan->resources.front()),
            R"(apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: uart.lab.example.com
spec:
  selectors:
    - cel:
        expression: 'device.driver == "patchbay.lab.example.com" && device.attributes["patchbay.lab.example.com"].?resource.orValue("") == "lab.example.com/uart"'
# For Pods that get one device each, in their namespace:
# apiVersion: resource.k8s.io/v1
# kind: ResourceClaimTemplate
# metadata:
#   name: uart
# spec:
#   spec:
#     devices:
#       requests:
#         - name: uart
#           exactly:
#             deviceClassName: uart.lab.example.com
# In the Pod:
# spec:
#   resourceClaims:
#     - name: uart
#       resourceClaimTemplateName: uart
#   containers:
#     - name: main
#       resources:
#         claims:
#           - name: uart
)");
}

}  // namespace
}  // namespace patchbay::dra
