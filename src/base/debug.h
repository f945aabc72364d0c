/* Builds with sanitizers also check invariants that are too expensive for normal use. */
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H

/* gcc defines __SANITIZE_ADDRESS__; clang before version 21 has only the feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DEBUG_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(DEBUG_SANITIZED)
enum { DEBUG_CHECKS = 1 };
#else
enum { DEBUG_CHECKS = 0 };
#endif

#endif
