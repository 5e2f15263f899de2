/// The origin of this program, as the Makefile recorded it for the build; empty texts after a build
/// without make.
#pragma once

/// The abbreviated commit, with a remark if the sources had other changes.
extern const char *const build_stamp_commit;
/// The day of the commit.
extern const char *const build_stamp_date;
/// The compiler and its platform.
extern const char *const build_stamp_toolchain;
