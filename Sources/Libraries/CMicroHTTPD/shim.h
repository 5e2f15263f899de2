#ifndef TAPCARD_CMICROHTTPD_H
#define TAPCARD_CMICROHTTPD_H

#include <dlfcn.h>
#include <microhttpd.h>

#endif
