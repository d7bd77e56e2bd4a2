package wasmgen

import (
	"slices"
	"strconv"
)

// Host is the module of the imports: note (i64) -> (), ask (i32) -> i32, swap (i32, f64) ->
// (f64, i32), same (externref) -> externref. A module imports the first few of them.
const Host = "host"

// CountGlobal is the export of [Options.Count]: a mutable i64 global.
const CountGlobal = "count"

// MaxPages is the largest declared maximum of a memory; one without a maximum may grow to the
// engine's limit.
const MaxPages = 6

// Options choose the kind of modules. The same bytes give the same module otherwise.
type Options struct {
	// Count adds to the global CountGlobal at each executed instruction, other than nop, drop,
	// block, loop, else and end, as these become no code, and those of probes.
	Count bool
	// Endless leaves out the code to end all calls.
	Endless bool
}

// Module is a generated module.
type Module struct {
	Wasm []byte
	// Calls are calls of its exports to make, one after the other.
	Calls []Call
	// Probes are exports without parameters for the state, each the value of one global or the
	// size of a table. TableProbes, of one index, return an entry of a table.
	Probes      []string
	TableProbes []string
	// Memory means: a memory is exported as "memory".
	Memory bool
}

// Call is a call of an export. A v128 takes two arguments.
type Call struct {
	Name string
	Args []uint64
}

type signature struct{ in, out []valType }

type global struct {
	typ     valType
	mutable bool
}

// gen is a module on its way.
type gen struct {
	choices
	opts Options

	types     []signature
	imported  int         // functions
	functions []signature // imported ones first
	calls     int         // how many of them code may call
	tables    []valType
	globals   []global
	memory    bool
	elements  []valType // of each segment
	dataCount int
	room      int // the budget of generated instructions

	code, exports [][]byte
	module        Module
}

const (
	budgetGlobal = 0 // counts down, so all calls end
	maxBudget    = 250
)

var hostFunctions = []struct {
	name string
	signature
}{
	{"note", signature{in: []valType{i64}}},
	{"ask", signature{[]valType{i32}, []valType{i32}}},
	{"swap", signature{[]valType{i32, f64}, []valType{f64, i32}}},
	{"same", signature{[]valType{externref}, []valType{externref}}},
}

// Generate makes a module of bytes.
func Generate(data []byte, opts Options) *Module {
	g := &gen{choices: choices{data}, opts: opts, room: 1500}
	imports := g.importSection()
	memories := g.memorySection()
	tables := g.tableSection()
	globals := g.globalSection()
	defined := 1 + g.n(5)
	for range defined {
		g.functions = append(g.functions, signature{g.someTypes(3), g.someTypes(3)})
	}
	g.calls = len(g.functions)
	elements := g.elementSection()
	datas := g.dataSection()
	for i := range defined {
		g.define(i)
	}
	start := g.startSection()
	g.probes()
	if opts.Count {
		g.export(CountGlobal, 3, len(g.globals))
	}
	indexes := g.typeIndexes() // before the types, as it may add to them
	g.module.Wasm = slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, vector(g.typeVectors())), section(0, bytesOf("made by wasmgen")),
		section(2, imports), section(3, vector(indexes)), section(4, tables), section(5, memories),
		section(6, globals), section(7, vector(g.exports)), start, section(9, elements),
		section(12, u32(uint32(g.dataCount))), section(10, vector(g.code)), section(11, datas))
	g.module.Memory = g.memory
	return &g.module
}

func (g *gen) someTypes(most int) []valType {
	var types []valType
	for range g.n(most + 1) {
		types = append(types, pick(&g.choices, allTypes))
	}
	return types
}

// typeOf returns the index of a function type.
func (g *gen) typeOf(s signature) uint32 {
	for i, t := range g.types {
		if slices.Equal(t.in, s.in) && slices.Equal(t.out, s.out) {
			return uint32(i)
		}
	}
	g.types = append(g.types, s)
	return uint32(len(g.types) - 1)
}

func (g *gen) typeVectors() (all [][]byte) {
	for _, t := range g.types {
		all = append(all, slices.Concat([]byte{0x60}, bytesOf(t.in), bytesOf(t.out)))
	}
	return all
}

func (g *gen) typeIndexes() (all [][]byte) {
	for _, f := range g.functions[g.imported:] {
		all = append(all, u32(g.typeOf(f)))
	}
	return all
}

func (g *gen) importSection() []byte {
	g.imported = g.n(len(hostFunctions) + 1)
	var all [][]byte
	for _, f := range hostFunctions[:g.imported] {
		g.functions = append(g.functions, f.signature)
		all = append(all, slices.Concat(bytesOf(Host), bytesOf(f.name), []byte{0}, u32(g.typeOf(f.signature))))
	}
	return vector(all)
}

func (g *gen) memorySection() []byte {
	if g.memory = !g.one(5); !g.memory {
		return vector(nil)
	}
	g.export("memory", 2, 0)
	least := g.n(3)
	return vector([][]byte{limits(least, g.most(least, MaxPages))})
}

// most chooses a maximum, -1 for none.
func (g *gen) most(least, highest int) int {
	if g.one(3) {
		return -1
	}
	return least + g.n(highest-least+1)
}

func (g *gen) tableSection() []byte {
	var all [][]byte
	for range g.n(4) {
		typ := pick(&g.choices, []valType{funcref, externref})
		g.tables = append(g.tables, typ)
		least := g.n(10)
		all = append(all, append([]byte{typ}, limits(least, g.most(least, 20))...))
	}
	return vector(all)
}

func (g *gen) globalSection() []byte {
	budget := g.n(maxBudget)
	g.globals = []global{{i32, true}}
	all := [][]byte{slices.Concat([]byte{i32, 1}, constant(i32, uint64(budget)), []byte{opEnd})}
	for range g.n(7) {
		typ, mutable := pick(&g.choices, allTypes), !g.one(3)
		g.globals = append(g.globals, global{typ, mutable})
		kind := []byte{typ, 0}
		if mutable {
			kind[1] = 1
		}
		if g.one(4) {
			g.export("global"+strconv.Itoa(len(g.globals)), 3, len(g.globals)-1)
		}
		all = append(all, slices.Concat(kind, constant(typ, g.u64()), []byte{opEnd}))
	}
	if g.opts.Count {
		all = append(all, slices.Concat([]byte{i64, 1}, constant(i64, 0), []byte{opEnd}))
	}
	return vector(all)
}

// elementSection makes segments, the last one a declaration of all functions.
func (g *gen) elementSection() []byte {
	var all [][]byte
	for range g.n(4) {
		all = append(all, g.element())
	}
	g.elements = append(g.elements, funcref)
	declared := [][]byte{}
	for i := range g.functions {
		declared = append(declared, u32(uint32(i)))
	}
	return vector(append(all, slices.Concat([]byte{3, 0}, vector(declared))))
}

// element makes a segment: passive ones for any table, active ones for one of
// functions. Bit 0 of the flags: not active; 1: a table index, or declarative;
// 2: expressions.
func (g *gen) element() []byte {
	typ, flags := pick(&g.choices, []valType{funcref, externref}), byte(4*g.n(2))
	table := slices.Index(g.tables, typ)
	var head []byte
	switch {
	case table < 0 || !g.one(3):
		flags |= 1
	case table > 0 || typ != funcref || g.one(2):
		flags |= 2
		head = u32(uint32(table))
	}
	if typ == externref {
		flags |= 4
	}
	if flags&1 == 0 {
		head = append(head, append(constant(i32, uint64(g.n(4))), opEnd)...)
	}
	if flags&3 != 0 {
		head = append(head, map[bool]byte{false: 0, true: typ}[flags&4 != 0])
	}
	g.elements = append(g.elements, typ)
	var entries [][]byte
	for range g.n(8) {
		f := u32(uint32(g.n(len(g.functions))))
		switch {
		case flags&4 == 0:
			entries = append(entries, f)
		case typ == externref || g.one(3):
			entries = append(entries, []byte{opRefNull, typ, opEnd})
		default:
			entries = append(entries, slices.Concat([]byte{opRefFunc}, f, []byte{opEnd}))
		}
	}
	return slices.Concat([]byte{flags}, head, vector(entries))
}

func (g *gen) dataSection() []byte {
	var all [][]byte
	for range g.n(4) {
		content := make([]byte, g.n(20))
		for i := range content {
			content[i] = byte(g.n(256))
		}
		switch {
		case !g.memory || !g.one(3):
			all = append(all, append([]byte{1}, bytesOf(content)...))
		case g.one(2):
			all = append(all, slices.Concat([]byte{2, 0}, constant(i32, uint64(g.n(100))), []byte{opEnd}, bytesOf(content)))
		default:
			all = append(all, slices.Concat([]byte{0}, constant(i32, uint64(g.n(100))), []byte{opEnd}, bytesOf(content)))
		}
	}
	g.dataCount = len(all)
	return vector(all)
}

func (g *gen) startSection() []byte {
	if !g.one(4) {
		return nil
	}
	g.functions = append(g.functions, signature{})
	g.code = append(g.code, g.body(signature{}))
	return section(8, u32(uint32(len(g.functions)-1)))
}

// define makes the i-th function of the module's own, and calls of it.
func (g *gen) define(i int) {
	index := g.imported + i
	name := "f" + strconv.Itoa(i)
	g.export(name, 0, index)
	g.code = append(g.code, g.body(g.functions[index]))
	for range 1 + g.n(2) {
		g.module.Calls = append(g.module.Calls, Call{name, g.arguments(g.functions[index].in)})
	}
}

func (g *gen) arguments(types []valType) (args []uint64) {
	for _, t := range types {
		switch t {
		case i32, f32:
			args = append(args, uint64(g.u32()))
		case v128:
			args = append(args, g.u64(), g.u64())
		case funcref:
			args = append(args, 0)
		default:
			args = append(args, g.u64())
		}
	}
	return args
}

// export adds one; kinds are those of the binary format: 0 function, 2 memory, 3 global.
func (g *gen) export(name string, kind byte, index int) {
	g.exports = append(g.exports, slices.Concat(bytesOf(name), []byte{kind}, u32(uint32(index))))
}
