/* Functions of other builds of the same source: they are the same if their names and objects are,
 * without
 * - what compilers append to a name (.constprop.0, .isra.0, .part.0, .cold, .llvm.1, [clone ...]),
 *   hashes of Rust, defaults of templates (std::allocator, std::less ...), the inline namespace
 *   std::__cxx11, and the mark of V8 for how far a function is optimized;
 * - versions of a library ("libx-2.1.so.3" is "libx.so"). */
#ifndef MODEL_FUNCTION_MATCH_H
#define MODEL_FUNCTION_MATCH_H

/* What is left of them, which the caller frees. */
char *function_match_name(const char *name);
char *function_match_object(const char *object);

#endif
