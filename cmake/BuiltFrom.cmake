# Writes the commit of the build into a header, if it has changed:
#
#   cmake -D SOURCE=DIR -D HEADER=FILE -P BuiltFrom.cmake
#
# A build without a repository, as in an image, takes it from $PATCHBAY_COMMIT.
function(git_says variable)
  execute_process(COMMAND git -C "${SOURCE}" ${ARGN}
    OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(text "")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

set(commit "$ENV{PATCHBAY_COMMIT}")
if(NOT commit)
  git_says(commit rev-parse --short=12 HEAD)
endif()
git_says(date log -1 --format=%cs)
set(text "#pragma once
#define PATCHBAY_COMMIT \"${commit}\"
#define PATCHBAY_COMMIT_DATE \"${date}\"
")
include("${CMAKE_CURRENT_LIST_DIR}/WriteIfChanged.cmake")
write_if_changed("${HEADER}" "${text}")
