#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/read_config.h"

/// Tests how the keys that form units are read into the spec, and the keys that limit where they
/// are offered.
namespace patchbay::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(UnitReader, ReadsStaticNames) {
  const MatchSpec list = read_group("    match: {static: [scope1, 0403]}\n").match;
  EXPECT_THAT(values(list.static_names), ElementsAre("scope1", "0403"));
  EXPECT_EQ(position_text(list.static_names.at(1).at), "5:30");
  EXPECT_THAT(values(list.keys), ElementsAre("static"));
  EXPECT_THAT(values(read_group("    match: {static: scope1}\n").match.static_names),
              ElementsAre("scope1"));
}

TEST(UnitReader, ReadsOptionsOfMembersSharesAndMounts) {
  const GroupSpec group = read_group(
      "    match: {glob: /run/*, path: {regex: '/run/(?P<n>.*)'}}\n"
      "    by: x\n"
      "    members: {clock: {match: {subsystem: ptp}, claim: shared}, a: {match: {glob: /a}}}\n"
      "    share: {total: 4, each: 1, perContainer: 2}\n"
      "    mounts: [{hostPath: /a, optional: true}, {hostPath: /b}]\n");
  EXPECT_EQ(group.match.find(Fact::path)->regex->value, "/run/(?P<n>.*)");
  EXPECT_EQ(group.members.at(0).claim->value, ClaimMode::shared);
  EXPECT_FALSE(group.members.at(1).claim);
  EXPECT_EQ(group.share->per_container->value, "2");
  EXPECT_TRUE(group.mounts.at(0).optional);
  EXPECT_FALSE(group.mounts.at(1).optional);
}

TEST(UnitReader, ReadsEnvironmentConditionsOfWhen) {
  const ResourceSpec resource = read_resource(
      "    when: {env: {POOL: gpu, X: {exists: false}}}\n    match: {subsystem: tty}\n");
  ASSERT_EQ(resource.when->conditions.size(), 2U);
  EXPECT_EQ(resource.when->conditions[0].fact, Fact::env);
  EXPECT_EQ(resource.when->conditions[0].name.value, "POOL");
  EXPECT_EQ(resource.when->conditions[0].condition.text, "gpu");
}

TEST(UnitReader, ReadsFileConditionsInEachBlock) {
  const MatchSpec match = read_group(R"(    match:
      subsystem: pci
      file: {/proc/a/$(pci.address): x, /b: {exists: false}}
      any: [{file: {/c: y}}]
      except: {file: {/d: z}}
)")
                              .match;
  ASSERT_EQ(match.conditions.size(), 3U);
  const FactConditionSpec& first = match.conditions[1];
  EXPECT_EQ(first.fact, Fact::file);
  EXPECT_EQ(first.name.value, "/proc/a/$(pci.address)");
  EXPECT_EQ(position_text(first.name.at), "7:14");
  EXPECT_EQ(first.condition.text, "x");
  EXPECT_FALSE(match.conditions[2].condition.exists->value);
  EXPECT_EQ(match.any.at(0).conditions.at(0).name.value, "/c");
  EXPECT_EQ(match.except.at(0).find(Fact::file)->text, "z");
  EXPECT_THAT(values(match.keys), ElementsAre("subsystem", "file", "any", "except"));
}

TEST(UnitReader, ReadsKeysThatFormUnits) {
  const GroupSpec group = read_group(R"(    match: {subsystem: pci}
    by: $(pci.address)
    size: 2
    members:
      verbs: {match: {subsystem: infiniband_verbs}}
      mad-2_x: {match: {subsystem: infiniband_mad}, by: $(ancestor.pci.name), size: 1+}
)");
  EXPECT_EQ(group.by->value, "$(pci.address)");
  EXPECT_EQ(position_text(group.by->at), "6:9");
  EXPECT_EQ(group.size->value, "2");
  EXPECT_EQ(position_text(group.size->at), "7:11");
  ASSERT_EQ(group.members.size(), 2U);
  EXPECT_EQ(group.members[0].name.value, "verbs");
  EXPECT_EQ(position_text(group.members[0].name.at), "9:7");
  EXPECT_EQ(group.members[0].match.find(Fact::subsystem)->text, "infiniband_verbs");
  EXPECT_FALSE(group.members[0].match.broken);
  EXPECT_EQ(group.members[0].by.has_value(), false);
  EXPECT_EQ(group.members[0].size.has_value(), false);
  EXPECT_EQ(group.members[1].name.value, "mad-2_x");
  EXPECT_EQ(group.members[1].by->value, "$(ancestor.pci.name)");
  EXPECT_EQ(group.members[1].size->value, "1+");
}

TEST(UnitReader, KeepsUnreadableMembersByName) {
  const Read result = read(resource(R"(    match: {subsystem: pci}
    members:
      text: infiniband
      nothing:
      unmatched: {size: 2}
      misspelt: {match: {subsystm: drm}}
      miscounted: {match: {subsystem: drm}, size: [1]}
)"));
  EXPECT_NE(result.printed, "");
  const auto& members = result.spec.resources.at(0).groups.at(0).members;
  ASSERT_EQ(members.size(), 5U);
  for (const MemberSpec& member : members) {
    EXPECT_EQ(member.match.broken, member.name.value != "miscounted") << member.name.value;
  }
  EXPECT_EQ(members[2].size->value, "2");
}

TEST(UnitReader, ReadsShareByCountOrBySize) {
  const ShareSpec count =
      read_group("    match: {subsystem: tty}\n    share: {count: 4}\n").share.value();
  EXPECT_EQ(count.count->value, "4");
  EXPECT_EQ(position_text(count.at), "6:12");
  EXPECT_EQ(count.total.has_value(), false);
  const ShareSpec size =
      read_group("    match: {subsystem: tty}\n    share: {total: $(attribute.x), each: 1Gi}\n")
          .share.value();
  EXPECT_EQ(size.total->value, "$(attribute.x)");
  EXPECT_EQ(size.each->value, "1Gi");
  EXPECT_EQ(position_text(size.each->at), "6:42");
  EXPECT_EQ(size.count.has_value(), false);
}

TEST(UnitReader, CopiesShareToGroupsWithoutShare) {
  const ResourceSpec spec = read_resource(R"(    share: {count: 4}
    groups:
      - match: {subsystem: tty}
      - match: {subsystem: usb}
        share: {total: 8, each: 2}
)");
  ASSERT_EQ(spec.groups.size(), 2U);
  EXPECT_EQ(spec.groups[0].share->count->value, "4");
  EXPECT_EQ(spec.groups[1].share->count.has_value(), false);  // `share` replaces as a whole.
  EXPECT_EQ(spec.groups[1].share->total->value, "8");
}

TEST(UnitReader, KeysOfOneGroupAreNotCopiedToOthers) {
  const ResourceSpec spec = read_resource(R"(    groups:
      - {match: {subsystem: tty}, by: a, size: 2, members: {m: {match: {subsystem: usb}}}}
      - {match: {subsystem: usb}}
)");
  EXPECT_EQ(spec.groups.at(0).by->value, "a");
  EXPECT_EQ(spec.groups.at(0).members.size(), 1U);
  EXPECT_EQ(spec.groups.at(1).by.has_value(), false);
  EXPECT_EQ(spec.groups.at(1).size.has_value(), false);
  EXPECT_THAT(spec.groups.at(1).members, IsEmpty());
}

TEST(UnitReader, ReadsWhenOfResource) {
  const ResourceSpec spec = read_resource(R"(    when:
      node: ["bench-*", rack]
      glob: /dev/a*
      file: {/sys/class/dmi/id/product_name: "Lab*"}
      except: {file: {/d: {exists: true}}, glob: [/e, /f]}
    match: {subsystem: tty}
)");
  const MatchSpec& when = spec.when.value();
  EXPECT_EQ(position_text(when.at), "6:7");
  EXPECT_EQ(when.find(Fact::node)->list.size(), 2U);
  std::vector<std::string> names;
  for (const FactConditionSpec& condition : when.conditions) names.push_back(condition.name.value);
  EXPECT_THAT(names, ElementsAre("", "/dev/a*", "/sys/class/dmi/id/product_name"));
  EXPECT_EQ(when.find(Fact::file)->text, "Lab*");
  EXPECT_EQ(when.any.size(), 0U);
  const MatchSpec& except = when.except.at(0);
  EXPECT_EQ(except.conditions.at(0).name.value, "/d");
  ASSERT_EQ(except.any.size(), 2U) << "one of several patterns";
  EXPECT_EQ(except.any[1].conditions.at(0).name.value, "/f");
  EXPECT_EQ(position_text(except.any[1].at), "9:55");
  EXPECT_EQ(spec.groups.at(0).when.has_value(), false);  // `when` belongs to the resource.
}

TEST(UnitReader, ReadsWhenOfEachGroup) {
  const ResourceSpec spec = read_resource(R"(    when: {node: a}
    groups:
      - {when: {node: b}, match: {subsystem: tty}}
      - {match: {subsystem: usb}}
)");
  EXPECT_EQ(spec.when->find(Fact::node)->text, "a");
  EXPECT_EQ(spec.groups.at(0).when->find(Fact::node)->text, "b");
  EXPECT_EQ(spec.groups.at(1).when.has_value(), false);  // Both conditions apply, so that of the
                                                         // resource is not copied.
}

TEST(UnitReader, ReadsClaims) {
  const std::string match = "    match: {subsystem: tty}\n";
  EXPECT_EQ(read_resource(match).claim.has_value(), false);
  const auto shared = read_resource(match + "    claim: shared\n").claim;
  EXPECT_EQ(shared->value, ClaimMode::shared);
  EXPECT_EQ(position_text(shared->at), "6:12");
  EXPECT_EQ(read_resource(match + "    claim: exclusive\n").claim->value, ClaimMode::exclusive);
}

TEST(UnitReader, DropsIncompleteItems) {
  const Read result = read(resource(R"(    match: {subsystem: tty}
    when: {node: a, nod: b}
    claim: everyone
    share: {count: 4, total: 5}
)"));
  EXPECT_NE(result.printed, "");
  const ResourceSpec& spec = result.spec.resources.at(0);
  EXPECT_EQ(spec.when.has_value(), false);
  EXPECT_EQ(spec.claim.has_value(), false);
  EXPECT_EQ(spec.groups.at(0).share.has_value(), false);
}

}  // namespace
}  // namespace patchbay::config
