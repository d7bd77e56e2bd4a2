// An assertion that fails is a trap; its text is not worth its bytes.
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
