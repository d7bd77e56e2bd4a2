// The part of the Extism guest ABI that check.c uses. Offsets are the host's.
#pragma once
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define IMPORT(name) __attribute__((import_module("extism:host/env"), import_name(#name)))
#define EXPORT(name) __attribute__((export_name(#name)))

IMPORT(input_length) u64 input_length(void);
IMPORT(input_load_u8) u32 input_load_u8(u64 index);
IMPORT(input_load_u64) u64 input_load_u64(u64 index);
IMPORT(alloc) u64 host_alloc(u64 size);
IMPORT(store_u8) void store_u8(u64 offset, u32 value);
IMPORT(store_u64) void store_u64(u64 offset, u64 value);
IMPORT(output_set) void output_set(u64 offset, u64 size);

// read_input copies the input to dst, eight bytes at a time as the C kit does,
// and returns its length; more than most bytes is none.
static u32 read_input(u8 *dst, u32 most) {
	u64 size = input_length(), i = 0;
	if (size > most) return 0;
	for (; i + 8 <= size; i += 8) *(u64 *)(dst + i) = input_load_u64(i);
	for (; i < size; i++) dst[i] = (u8)input_load_u8(i);
	return (u32)size;
}

// write_output makes size bytes from src the output.
static void write_output(const u8 *src, u32 size) {
	u64 offset = host_alloc(size), i = 0;
	for (; i + 8 <= size; i += 8) store_u64(offset + i, *(const u64 *)(src + i));
	for (; i < size; i++) store_u8(offset + i, src[i]);
	output_set(offset, size);
}
