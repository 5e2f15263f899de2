/// Where this program comes from, as recorded by the Makefile at build time; empty strings after a
/// build without make.
#pragma once

/// The abbreviated commit hash, with a note if the sources had other changes.
extern const char *const build_stamp_commit;
/// The date of the commit.
extern const char *const build_stamp_date;
/// The compiler and the platform it targets.
extern const char *const build_stamp_toolchain;
