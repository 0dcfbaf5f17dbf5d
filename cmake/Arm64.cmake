# Compiles for arm64 on another architecture: Debian's cross compiler with Debian's arm64 packages in
# build/sysroot/arm64, which scripts/setup --arm64 unpacks. Build programs such as protoc are those of
# this machine; QEMU runs the built programs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
cmake_path(SET CMAKE_SYSROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/arm64")
if(NOT EXISTS "${CMAKE_SYSROOT}/packages.json")
  message(FATAL_ERROR "${CMAKE_SYSROOT} has no packages: scripts/setup --arm64 unpacks them")
endif()
# Messages of libraries contain paths of headers. They become the installed paths, so the binary does
# not depend on the build directory, even if ccache has made a path relative.
file(RELATIVE_PATH sysroot_from_build "${CMAKE_BINARY_DIR}" "${CMAKE_SYSROOT}")
set(CMAKE_CXX_FLAGS_INIT
  "-ffile-prefix-map=${CMAKE_SYSROOT}= -ffile-prefix-map=${sysroot_from_build}=")
# The loader gets the path of the libraries. QEMU's option -L would redirect every open of "/" to the
# sysroot.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 ${CMAKE_SYSROOT}/lib/ld-linux-aarch64.so.1
  --library-path ${CMAKE_SYSROOT}/lib/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
  "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
