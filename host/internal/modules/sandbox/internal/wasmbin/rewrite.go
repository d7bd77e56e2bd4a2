package wasmbin

// Prefix begins the names of Rewrite's additions. A module exporting a name with it, or
// importing from a module with it, is refused.
const Prefix = "callgate:"

// The imports of a rewritten module. RefillName, (i64) -> i64, is called at the end of the
// fuel: it gets the fuel left, less than nothing, and returns the module's new fuel.
// OverflowName, () -> (), is called at the end of the stack, and never returns. The host stops
// the guest by a trap.
const (
	FuelModule   = Prefix + "fuel"
	RefillName   = "refill"
	OverflowName = "overflow"
)

// FuelGlobal is the exported mutable i64 global with the fuel left.
const FuelGlobal = Prefix + "fuel"

// StackGlobal is the exported mutable i32 global with the bytes of stack left. It is
// Options.StackBytes at first, and again after each successful call.
const StackGlobal = Prefix + "stack"

// Options bound a module's declarations.
type Options struct {
	// MemoryPages and TableEntries are the largest maxima; a declared larger or
	// missing one is lowered to them.
	MemoryPages  uint32
	TableEntries uint32
	// Functions and Globals cap how many the module defines; 0 means any number.
	Functions, Globals int
	// StackBytes is the native stack for the calls of a guest; 0 means no count.
	StackBytes int
	// Bytes caps the size of the result.
	Bytes int
	// Unmetered leaves out fuel and stack, to measure their cost. Such a module cannot be
	// stopped.
	Unmetered bool

	segment, nested int64 // for tests: instead of segmentCost and nestedCost
}

// Result is a rewritten module.
type Result struct {
	Wasm []byte
	// Globals are the export names of the mutable globals of number types,
	// FuelGlobal not among them.
	Globals []string
	// Kept means: a call can change more than linear memory, Globals and sizes, and the module
	// has DirtyGlobal, SaveName and RestoreName.
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

// Rewrite returns the module with fuel, exported globals and maxima. The error is an *Error
// with the defect and its place in the file. RATIONALE.md, "Why is a module rewritten when it
// is loaded?".
func Rewrite(wasm []byte, opts Options) (*Result, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	if err := s.check(opts); err != nil {
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
		{secFunction, w.readFunctions}, // before the sections referring to functions
		{secTable, w.boundTables},
		{secMemory, w.boundMemory},
		{secGlobal, w.globals},
		{secExport, w.exports},
		{secStart, w.start},
		{secElement, w.elements},
		{secData, w.data}, // before the code with drops of segments
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
	if _, err := Reading(w.result.Wasm); err != nil {
		return nil, err
	}
	return &w.result, nil
}
