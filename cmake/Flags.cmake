# What every target of ours is compiled and linked with.
add_library(patchbay_flags INTERFACE)
target_compile_options(patchbay_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# GCC 12 warns of impossible overlaps in operator+ of strings at -O2 and above (its bug 105651).
target_compile_options(patchbay_flags INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
if(PATCHBAY_WERROR)
  target_compile_options(patchbay_flags INTERFACE -Werror)
endif()
target_include_directories(patchbay_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(PATCHBAY_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Small before fast: nothing here is bound by the optimiser, and -O3 costs a fifth of the size.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(PATCHBAY_STATIC)
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections -static-libstdc++ -static-libgcc)
endif()
