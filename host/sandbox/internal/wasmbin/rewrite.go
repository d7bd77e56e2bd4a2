package wasmbin

// Prefix begins the names of what Rewrite adds. A module that exports a name
// with it, or imports from a module with it, is refused.
const Prefix = "callgate:"

// The imports of a rewritten module. RefillName, (i64) -> i64, is called when
// the fuel is used up: it gets the fuel left, which is less than nothing, and
// returns what the module goes on with. OverflowName, () -> (), is called when
// the stack is used up, and never returns. The host stops the guest by a trap.
const (
	FuelModule   = Prefix + "fuel"
	RefillName   = "refill"
	OverflowName = "overflow"
)

// FuelGlobal is the exported mutable i64 global that holds the fuel left.
const FuelGlobal = Prefix + "fuel"

// StackGlobal is the exported mutable i32 global that holds the bytes of stack
// left. It is Options.StackBytes at first, and again after each call that ended
// well.
const StackGlobal = Prefix + "stack"

// Options bound what a module may declare.
type Options struct {
	// MemoryPages and TableEntries are the largest maxima; a declared larger or
	// missing one is lowered to them.
	MemoryPages  uint32
	TableEntries uint32
	// Functions and Globals cap how many the module defines; 0 means any number.
	Functions, Globals int
	// StackBytes is how much of the native stack the calls of a guest may take; 0
	// means that nobody counts.
	StackBytes int
	// Bytes caps the size of the result.
	Bytes int
	// Unmetered leaves out fuel and stack, to measure what they cost. Such a
	// module cannot be stopped.
	Unmetered bool

	segment, nested int64 // for tests: instead of segmentCost and nestedCost
}

// Result is a rewritten module.
type Result struct {
	Wasm []byte
	// Globals are the export names of the mutable globals of number types,
	// FuelGlobal not among them.
	Globals []string
	// Kept tells that a call can change more than linear memory, Globals and
	// sizes: the module has DirtyGlobal, SaveName and RestoreName.
	Kept bool
	// Memory tells whether there is a linear memory, MemoryPages how large it may
	// become.
	Memory      bool
	MemoryPages uint32
}

// rewriter holds the sections of a module on their way.
type rewriter struct {
	*sections
	opts Options

	types     []functionType
	declared  uint32   // of types
	functions []uint32 // the type of each function of the module, by old index
	imported  uint32   // of functions
	helpers   []helper
	helperAt  map[helperKey]uint32
	fuel      uint32 // index of the fuel global
	stack     uint32 // index of the stack global
	kept      kept
	result    Result
}

// Rewrite returns the module with fuel, exported globals and maxima. The error
// is an *Error, which says where in the file what is wrong.
func Rewrite(wasm []byte, opts Options) (*Result, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	if opts.segment == 0 {
		opts.segment, opts.nested = segmentCost, nestedCost
	}
	w := &rewriter{sections: s, opts: opts, helperAt: map[helperKey]uint32{}, kept: newKept()}
	for _, step := range []struct {
		id byte
		do func() error
	}{
		{secType, w.readTypes},
		{secImport, w.addImports},
		{secFunction, w.readFunctions}, // before the sections that speak of functions
		{secTable, w.boundTables},
		{secMemory, w.boundMemory},
		{secGlobal, w.globals},
		{secExport, w.exports},
		{secStart, w.start},
		{secElement, w.elements},
		{secData, w.data}, // before the code that drops segments
		{secCode, w.code},
	} {
		if err := step.do(); err != nil {
			return nil, in(sectionNames[step.id], err)
		}
	}
	w.addState()
	w.addHelpers()
	w.writeTypes()
	w.result.Wasm = w.join()
	if err := atMost("module_kib with its fuel", len(w.result.Wasm), opts.Bytes); err != nil {
		return nil, &Error{Offset: len(wasm), Err: err}
	}
	return &w.result, nil
}
