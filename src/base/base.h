/* What nearly every file outside of base needs: memory, texts, messages, files, clocks, lists and
 * maps of base, and what the C library has for them. */
#pragma once

#include "base/cells.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/names.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <strings.h>
#include <unistd.h>
