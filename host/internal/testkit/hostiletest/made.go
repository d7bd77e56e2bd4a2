package hostiletest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// made are attacks with modules made here: malformed ones beyond any assembler, and those small
// in idea and large in bytes.
var made = []struct {
	name   string
	expect string
	wasm   func() []byte
}{
	// Files other than modules.
	{"nothing", `load "not a WebAssembly module"`, func() []byte { return nil }},
	{"script", `load "not a WebAssembly module"`, func() []byte { return []byte("#!/bin/sh\nrm -rf /\n") }},
	{"zeros", `load "not a WebAssembly module"`, func() []byte { return make([]byte, 32<<20) }},
	{"too_large", `load "limit module_kib: 33554433 bytes, at most 33554432"`, func() []byte { return make([]byte, 32<<20+1) }},
	{"header_only", `load "export describe: missing"`, func() []byte { return module() }},
	{"header_cut", `load "not a WebAssembly module"`, func() []byte { return module()[:7] }},
	{"component", `load "not a WebAssembly module"`, func() []byte { return []byte("\x00asm\x0d\x00\x01\x00") }},

	// Sections with false declarations.
	{"section_cut", `load ""`, func() []byte { return append(module(), 1, 100, 1) }},
	{"section_endless", `load ""`, func() []byte { return append(module(), 1, 0xff, 0xff, 0xff, 0xff, 0x0f) }},
	{"section_unknown", `load "section 14"`, func() []byte { return module(section(14, nil)) }},
	{"section_twice", `load "twice"`, func() []byte { return module(types(), types()) }},
	{"section_order", `load "out of order"`, func() []byte { return module(functions(1), types()) }},
	{"section_rest", `load ""`, func() []byte { return module(section(1, []byte{1, 0x60, 0, 0, 0x60, 0, 0})) }},
	{"leb_long", `load ""`, func() []byte { return append(module(), 1, 0x84, 0x80, 0x80, 0x80, 0x80, 0x00, 1, 0x60, 0, 0) }},
	{"leb_wide", `load ""`, func() []byte { return append(module(), 1, 0xff, 0xff, 0xff, 0xff, 0x7f) }},
	{"leb_cut", `load ""`, func() []byte { return append(module(), 1, 0x80) }},
	{"count_lies", `load ""`, func() []byte { return module(section(1, number(1<<32-1))) }},
	{"count_lies_code", `load ""`, func() []byte { return module(types(), functions(1), section(10, number(1<<31))) }},
	{"types_invalid", `load ""`, func() []byte { return module(section(1, []byte{1, 0x60, 1, 0x11, 0})) }},
	{"type_missing", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(3, []byte{1, 9})) }},
	{"code_missing", `load ""`, func() []byte { return module(types(), functions(1), exports()) }},
	{"code_extra", `load ""`, func() []byte {
		return module(types(), functions(1), exports(), code(body(0x41, 0, 0x0b), body(0x41, 0, 0x0b)))
	}},
	{"code_after_end", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b, 0x41, 0, 0x0b)) }},
	{"code_endless", `load ""`, func() []byte { return tool(body(0x41, 0)) }},
	{"code_unknown", `load ""`, func() []byte { return tool(body(0xff, 0x0b)) }},
	{"code_atomic", `load ""`, func() []byte { return tool(body(0x41, 0, 0x41, 0, 0x42, 0, 0xfe, 0x01, 2, 0, 0x0b)) }},
	{"code_tail_call", `load ""`, func() []byte { return tool(body(0x12, 0, 0x0b)) }},
	{"code_exception", `load ""`, func() []byte { return tool(body(0x06, 0x7f, 0x41, 0, 0x19, 0x41, 0, 0x0b, 0x0b)) }},
	{"code_wrong_type", `load ""`, func() []byte { return tool(body(0x42, 0, 0x0b)) }},
	{"code_underflow", `load ""`, func() []byte { return tool(body(0x6a, 0x0b)) }},
	{"branch_wild", `load ""`, func() []byte { return tool(body(0x0c, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0b)) }},
	{"br_table_lies", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0e, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0x0b)) }},
	{"local_wild", `load ""`, func() []byte { return tool(body(0x20, 99, 0x0b)) }},
	{"locals_lie", `load ""`, func() []byte {
		return tool(sized(slices.Concat([]byte{1}, number(1<<32-1), []byte{0x7e, 0x41, 0, 0x0b})))
	}},
	{"locals_wrap", `load ""`, func() []byte {
		return tool(sized(slices.Concat([]byte{2}, number(1<<31), []byte{0x7e}, number(1<<31), []byte{0x7e, 0x41, 0, 0x0b})))
	}},
	{"export_wild", `load ""`, func() []byte {
		return module(types(), functions(1), section(7, slices.Concat([]byte{1}, text("describe"), []byte{0, 99})), code(body(0x41, 0, 0x0b)))
	}},
	{"memories", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(5, []byte{2, 0, 1, 0, 1})) }},
	{"memory_64", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 4, 1})) }},
	{"memory_shared", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 3, 1, 1})) }},
	{"memory_backwards", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 1, 9, 1})) }},
	{"start_wild", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(8, []byte{99})) }},
	{"start_result", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(8, []byte{0})) }},
	{"data_without_memory", `load ""`, func() []byte { return tool(body(0x41, 0, 0x0b), section(11, []byte{1, 0, 0x41, 0, 0x0b, 1, 'x'})) }},
	{"data_count_lies", `load ""`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 0, 1}), section(12, []byte{7}), section(11, []byte{1, 0, 0x41, 0, 0x0b, 1, 'x'}))
	}},
	{"export_names", `load "UTF-8"`, func() []byte {
		return bytes.ReplaceAll(tool(body(0x41, 0, 0x0b)), []byte("describe"), []byte("des\xff\xferibe"[:8]))
	}},
	{"import_names", `load ""`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(2, slices.Concat([]byte{1}, text("\xff\xfe\x80"), text("x"), []byte{0, 0})))
	}},

	// Many of one kind.
	{"functions", `load "limit functions: 70000, at most 65536"`, func() []byte { return many(70000) }},
	{"globals", `load "limit globals: 70000, at most 10000"`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(6, slices.Concat(number(70000), bytes.Repeat([]byte{0x7f, 1, 0x41, 0, 0x0b}, 70000))))
	}},
	{"types_many", `load "limit types: "`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(1, slices.Concat(number(200000), bytes.Repeat([]byte{0x60, 0, 1, 0x7f}, 200000))))
	}},
	{"locals_many", `load ""`, func() []byte {
		return tool(sized(slices.Concat([]byte{1}, number(1000000), []byte{0x7e, 0x41, 0, 0x0b})))
	}},
	{"params_many", `load ""`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(1, slices.Concat([]byte{2, 0x60, 0, 1, 0x7f, 0x60}, number(1000000), bytes.Repeat([]byte{0x7e}, 1000000), []byte{0})))
	}},
	{"data_many", `any output`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 0, 1}),
			section(11, slices.Concat(number(90000), bytes.Repeat([]byte{0, 0x41, 0, 0x0b, 0}, 90000))))
	}},
	// A byte of the file each, and over a hundred of the daemon: of these, 18 MB once
	// took the daemon to 2.7 GB and 213 s.
	{"elements_many", `load "limit element segments: 90000, at most 10000"`, func() []byte {
		return elements(90_000, []byte{0, 0x41, 0, 0x0b, 1, 0})
	}},
	{"elements_entries", `load "limit table_entries of all element segments: 18000000, at most 65536"`, func() []byte {
		return elements(300, slices.Concat([]byte{1, 0}, number(60_000), make([]byte, 60_000)))
	}},
	{"elements_expressions", `load "limit table_entries of all element segments: 6000000, at most 65536"`, func() []byte {
		return elements(100, slices.Concat([]byte{5, 0x70}, number(60_000), bytes.Repeat([]byte{0xd2, 0, 0x0b}, 60_000)))
	}},
	{"elements_declared", `load "limit table_entries of all element segments: 65537, at most 65536"`, func() []byte {
		return elements(1, slices.Concat([]byte{3, 0}, number(65_537), make([]byte, 65_537)))
	}},
	{"elements_most", `any output`, func() []byte {
		return elements(2, slices.Concat([]byte{1, 0}, number(32_768), make([]byte, 32_768)))
	}},
	{"exports_many", `load "limit exports: 3000000, at most 5000"`, func() []byte { return exporting(3_000_000) }},
	{"exports_over", `load "limit exports: 5001, at most 5000"`, func() []byte { return exporting(5001) }},
	{"exports_most", `any output`, func() []byte { return exporting(5000) }},
	{"names_long", `load "limit bytes of names: "`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(7, slices.Concat([]byte{1}, text(strings.Repeat("a", 1<<20+1)), []byte{0, 0})))
	}},
	{"imports_many", `load "limit imports: 2000000, at most 2000"`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(2, slices.Concat(number(2_000_000), bytes.Repeat(slices.Concat(text("a"), text("b"), []byte{0, 0}), 2_000_000))))
	}},
	{"values_many", `load "limit parameters and results of all types: 9000000, at most 25000"`, func() []byte {
		typ := slices.Concat([]byte{0x60}, number(1000), bytes.Repeat([]byte{0x7f}, 1000), []byte{0})
		return tool(body(0x41, 0, 0x0b), section(1, slices.Concat(number(9000), bytes.Repeat(typ, 9000))))
	}},
	{"constant_long", `load "limit instructions of one constant expression: 5000001, at most 1"`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(6, slices.Concat([]byte{1, 0x7f, 0}, bytes.Repeat([]byte{0x41, 0}, 5_000_001), []byte{0x0b})))
	}},
	{"data_passive", `load "limit data segments: 9000000, at most 1000000"`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 0, 1}), section(11, append(number(9_000_000), bytes.Repeat([]byte{1, 0}, 9_000_000)...)))
	}},
	{"data_apart", `load "limit data segments after neighbors are joined: 1000000, at most 100000"`, func() []byte {
		return tool(body(0x41, 0, 0x0b), section(5, []byte{1, 0, 1}), section(11, append(number(1_000_000), bytes.Repeat([]byte{1, 0}, 1_000_000)...)))
	}},
	{"custom_bomb", `any output`, func() []byte {
		return append(tool(body(0x41, 0, 0x0b)), section(0, append(text("name"), make([]byte, 30<<20)...))...)
	}},
	{"custom_many", `any output`, func() []byte {
		return append(tool(body(0x41, 0, 0x0b)), bytes.Repeat(section(0, text("x")), 300000)...)
	}},
	{"name_section", `any output`, func() []byte {
		return append(tool(body(0x41, 0, 0x0b)), section(0, append(text("name"), 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xfe))...)
	}},

	// Growth while compiling.
	{"blocks_deep", `load ""`, func() []byte {
		n := 500000
		return tool(body(slices.Concat(bytes.Repeat([]byte{0x02, 0x40}, n), bytes.Repeat([]byte{0x0b}, n), []byte{0x41, 0, 0x0b})...))
	}},
	{"br_table_wide", `load ""`, func() []byte {
		return tool(body(slices.Concat([]byte{0x02, 0x40, 0x41, 0, 0x0e}, number(200000), make([]byte, 200001), []byte{0x0b, 0x41, 0, 0x0b})...))
	}},
	{"straight_line", `any output`, func() []byte {
		return tool(body(slices.Concat([]byte{0x41, 0}, bytes.Repeat([]byte{0x41, 1, 0x6c}, 20000), []byte{0x0b})...))
	}},
}

// The parts of a binary.

func module(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), slices.Concat(sections...)...)
}

// tool is a module with one function of the body for all verbs; sections given take the place
// of its own, or their own place in the order.
func tool(body []byte, sections ...[]byte) []byte {
	all := [][]byte{types(), functions(1), exports(), code(body)}
	for _, s := range sections {
		all = slices.DeleteFunc(all, func(old []byte) bool { return old[0] == s[0] })
		at := slices.IndexFunc(all, func(old []byte) bool { return place(old[0]) > place(s[0]) })
		if at < 0 {
			at = len(all)
		}
		all = slices.Insert(all, at, s)
	}
	return module(all...)
}

// elements is a tool with a table and n equal element segments.
func elements(n int, segment []byte) []byte {
	return tool(body(0x41, 0, 0x0b), section(4, []byte{1, 0x70, 0, 1}), section(9, slices.Concat(number(uint64(n)), bytes.Repeat(segment, n))))
}

// exporting is a tool with n exports, those of its verbs among them.
func exporting(n int) []byte {
	verbs := exports()[1:] // the size of the section, how many they are, and they
	for verbs[0] >= 0x80 {
		verbs = verbs[1:]
	}
	verbs = verbs[1:]
	content := slices.Concat(number(uint64(n)), verbs[1:])
	for i := int(verbs[0]); i < n; i++ {
		content = append(append(content, text(strconv.Itoa(i))...), 0, 0)
	}
	return tool(body(0x41, 0, 0x0b), section(7, content))
}

// place is the place of a section: that of the data count before the code.
func place(id byte) int {
	return strings.IndexByte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0c\x0a\x0b", id)
}

// many is a module of n functions, each calling the next.
func many(n int) []byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = body(append(append([]byte{0x10}, number(uint64(min(i+1, n-1)))...), 0x0b)...)
	}
	return module(types(), functions(n), exports(), code(bodies...))
}

func types() []byte { return section(1, []byte{1, 0x60, 0, 1, 0x7f}) }

func functions(n int) []byte { return section(3, append(number(uint64(n)), make([]byte, n)...)) }

func exports() []byte {
	names := []string{"describe", "check_permissions", "check_read_only", "match_rule", "generate_suggestions"}
	list := number(uint64(len(names)))
	for _, name := range names {
		list = append(append(list, text(name)...), 0, 0)
	}
	return section(7, list)
}

func code(bodies ...[]byte) []byte {
	return section(10, append(number(uint64(len(bodies))), slices.Concat(bodies...)...))
}

// body is a function without locals.
func body(instructions ...byte) []byte { return sized(append([]byte{0}, instructions...)) }

func sized(data []byte) []byte { return append(number(uint64(len(data))), data...) }

func text(s string) []byte { return sized([]byte(s)) }

func section(id byte, content []byte) []byte { return append([]byte{id}, sized(content)...) }

func number(n uint64) []byte { return binary.AppendUvarint(nil, n) }
