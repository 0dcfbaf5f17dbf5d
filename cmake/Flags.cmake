# Compile and link options of all targets of the project.
add_library(patchbay_flags INTERFACE)
target_compile_options(patchbay_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 warns of impossible overlaps in operator+ of strings at -O2 and above (its bug 105651).
  target_compile_options(patchbay_flags INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # For GCC a file that is included is a header, in which an anonymous namespace would be a mistake.
  target_compile_options(patchbay_flags INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # libstdc++ deprecates what it uses itself.
  target_compile_options(patchbay_flags INTERFACE -Wno-deprecated-declarations)
endif()
# Clang is for fuzzing; what it warns of beside GCC is for clang-tidy.
if(PATCHBAY_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(patchbay_flags INTERFACE -Werror)
endif()
target_include_directories(patchbay_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(PATCHBAY_SANITIZE)
  # A report needs lines, not variables, which take long to describe.
  add_compile_options(-fsanitize=${PATCHBAY_SANITIZE} -fno-omit-frame-pointer -g1)
  if(PATCHBAY_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  add_link_options(-fsanitize=${PATCHBAY_SANITIZE})
endif()

# Small before fast: nothing here is bound by the optimiser, and -O3 costs a fifth of the size.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(PATCHBAY_STATIC)
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections -static-libstdc++ -static-libgcc)
  # Functions of the same code are one, where nobody compares their addresses.
  include(CheckLinkerFlag)
  set(folding "-fuse-ld=gold" "-Wl,--icf=safe")
  check_linker_flag(CXX "${folding}" PATCHBAY_FOLDS_CODE)
  if(PATCHBAY_FOLDS_CODE)
    add_link_options(${folding})
  endif()
endif()
