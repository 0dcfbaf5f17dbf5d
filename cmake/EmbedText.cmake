# Writes text files as one header of string constants, if they have changed:
#
#   cmake -D HEADER=FILE -D NAMESPACE=a::b -D FILES="NAME=PATH;NAME=PATH" -P EmbedText.cmake
#
# The compiler has no #embed.
set(text "#pragma once\n#include <string_view>\nnamespace ${NAMESPACE} {\n")
foreach(file IN LISTS FILES)
  string(REGEX MATCH "^([A-Za-z_]+)=(.*)$" matched "${file}")
  file(READ "${CMAKE_MATCH_2}" content)
  string(APPEND text "inline constexpr std::string_view ${CMAKE_MATCH_1} = R\"embedded(${content})embedded\";\n")
endforeach()
string(APPEND text "}\n")
include("${CMAKE_CURRENT_LIST_DIR}/WriteIfChanged.cmake")
write_if_changed("${HEADER}" "${text}")
