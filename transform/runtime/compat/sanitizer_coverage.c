/* What code calls that is compiled for a fuzzer (-fsanitize=fuzzer-no-link): it counts what runs and
 * shows what is compared. The executor knows both. */
#include <stdint.h>

__thread uintptr_t __sancov_lowest_stack;

#define NOTHING(name, ...) void __sanitizer_cov_##name(__VA_ARGS__) { }

NOTHING(8bit_counters_init, uint8_t *start, uint8_t *stop)
NOTHING(bool_flag_init, _Bool *start, _Bool *stop)
NOTHING(pcs_init, const uintptr_t *start, const uintptr_t *stop)
NOTHING(stack_depth, void)
NOTHING(trace_pc, void)
NOTHING(trace_pc_guard, uint32_t *guard)
NOTHING(trace_pc_guard_init, uint32_t *start, uint32_t *stop)
NOTHING(trace_pc_indir, uintptr_t callee)
NOTHING(trace_cmp1, uint8_t a, uint8_t b)
NOTHING(trace_cmp2, uint16_t a, uint16_t b)
NOTHING(trace_cmp4, uint32_t a, uint32_t b)
NOTHING(trace_cmp8, uint64_t a, uint64_t b)
NOTHING(trace_const_cmp1, uint8_t a, uint8_t b)
NOTHING(trace_const_cmp2, uint16_t a, uint16_t b)
NOTHING(trace_const_cmp4, uint32_t a, uint32_t b)
NOTHING(trace_const_cmp8, uint64_t a, uint64_t b)
NOTHING(trace_switch, uint64_t value, uint64_t *cases)
NOTHING(trace_div4, uint32_t value)
NOTHING(trace_div8, uint64_t value)
NOTHING(trace_gep, uintptr_t index)
NOTHING(load1, uint8_t *at)
NOTHING(load2, uint16_t *at)
NOTHING(load4, uint32_t *at)
NOTHING(load8, uint64_t *at)
NOTHING(load16, void *at)
NOTHING(store1, uint8_t *at)
NOTHING(store2, uint16_t *at)
NOTHING(store4, uint32_t *at)
NOTHING(store8, uint64_t *at)
NOTHING(store16, void *at)
