#include "cli/standalone/line_command.h"

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

using Ids = std::vector<std::string>;
using Kind = LineCommand::Kind;

LineCommand read_line(const std::string& line) {
  auto command = read_line_command(line);
  EXPECT_TRUE(command) << command.error().message;
  return command ? *std::move(command) : LineCommand{};
}

std::string refusal(const std::string& line) {
  const auto command = read_line_command(line);
  return command ? "understood" : command.error().message;
}

TEST(LineCommand, ParsesResourceAndIds) {
  const LineCommand allocate = read_line("  allocate lab.example.com/nic\teth0 eth1 \r");
  EXPECT_EQ(allocate.kind, Kind::allocate);
  EXPECT_EQ(allocate.resource, "lab.example.com/nic");
  EXPECT_EQ(allocate.ids, (Ids{"eth0", "eth1"}));
  const LineCommand start = read_line("start nic eth0");
  EXPECT_EQ(start.kind, Kind::start);
  EXPECT_EQ(start.ids, Ids{"eth0"});
}

TEST(LineCommand, ParsesPreferWithCountAndIds) {
  const LineCommand prefer = read_line("prefer nic 2");
  EXPECT_EQ(prefer.kind, Kind::prefer);
  EXPECT_EQ(prefer.resource, "nic");
  EXPECT_EQ(prefer.count, 2);
  EXPECT_EQ(prefer.ids, Ids{});
  EXPECT_EQ(read_line("prefer nic 2 3 4").ids, (Ids{"3", "4"}));
}

TEST(LineCommand, ParsesCommandsOfOneWord) {
  EXPECT_EQ(read_line("").kind, Kind::nothing);
  EXPECT_EQ(read_line(" \t ").kind, Kind::nothing);
  EXPECT_EQ(read_line("list").kind, Kind::list);
  EXPECT_EQ(read_line("quit").kind, Kind::quit);
  EXPECT_EQ(read_line("help").kind, Kind::help);
  EXPECT_EQ(read_line("help prefer").kind, Kind::help);
}

TEST(LineCommand, ErrorContainsUsageOfCommand) {
  EXPECT_EQ(refusal("allocate"), "allocate needs a resource\nusage: allocate RESOURCE ID...");
  EXPECT_EQ(refusal("start nic"), "start needs the id of a unit\nusage: start RESOURCE ID...");
  EXPECT_EQ(refusal("prefer nic"),
            "prefer needs a number of units\nusage: prefer RESOURCE COUNT [ID...]");
  EXPECT_EQ(refusal("list nic"), "list takes no 'nic'\nusage: list");
  for (const std::string count : {"0", "-1", "two", "2x", "1000001", "99999999999999999999"}) {
    EXPECT_EQ(refusal("prefer nic " + count), "prefer takes a number from 1 to 1000000, not '" +
                                                  count +
                                                  "'\nusage: prefer RESOURCE COUNT [ID...]");
  }
}

TEST(LineCommand, UnknownCommandSuggestsKnownOne) {
  EXPECT_EQ(refusal("alocate nic eth0"), "unknown command 'alocate'; did you mean 'allocate'?");
  EXPECT_EQ(refusal("frobnicate"), "unknown command 'frobnicate'; type: help");
  EXPECT_EQ(refusal("\x1b[2J"), "unknown command '\\x1b[2J'; type: help");
}

TEST(LineCommand, HelpNamesAllCommands) {
  const std::string help = line_help();
  for (const std::string command : {"allocate", "prefer", "start", "list", "help", "quit"}) {
    EXPECT_NE(("\n" + help).find("\n" + command + " "), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace patchbay::cli
