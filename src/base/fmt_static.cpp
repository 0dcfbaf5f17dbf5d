// Debian ships fmt only as a shared library, so the static build compiles it here. The
// instantiations are those of the library's own file that we need.
#include <fmt/format-inl.h>

namespace fmt::detail {

template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

}  // namespace fmt::detail
