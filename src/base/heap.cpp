#include "base/heap.h"

#include <malloc.h>

namespace patchbay {

void give_back_free_memory() { malloc_trim(0); }

}  // namespace patchbay
