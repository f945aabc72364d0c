/* Whether invariants are checked that cost too much for every day: in builds with sanitizers. */
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H

/* gcc defines the macro, clang before 21 knows the feature. */
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
