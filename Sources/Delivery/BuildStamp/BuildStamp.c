#include "BuildStamp.h"

// packaging/stamped writes tapcard-stamp.h for one build and then removes it, so that a later build
// without it does not report an old commit.
#if __has_include("tapcard-stamp.h")
#include "tapcard-stamp.h"
#else
#define TAPCARD_COMMIT ""
#define TAPCARD_DATE ""
#define TAPCARD_TOOLCHAIN ""
#endif

const char *const build_stamp_commit = TAPCARD_COMMIT;
const char *const build_stamp_date = TAPCARD_DATE;
const char *const build_stamp_toolchain = TAPCARD_TOOLCHAIN;
