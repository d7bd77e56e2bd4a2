package scaffold

import "context"

// Ready returns what is missing on this system to build and test projects of the language: nil,
// or an error of type *MissingError.
func Ready(ctx context.Context, name string) error {
	l, err := find(name)
	if err != nil || l.ready == nil {
		return err
	}
	return l.ready(ctx)
}

func readyGo(context.Context) error {
	_, err := goCompiler()
	return err
}

func readyRust(ctx context.Context) error {
	program, links, err := rustc(ctx)
	if err == nil && !links {
		_, err = linkerOf(ctx, program)
	}
	return err
}

func readyC(ctx context.Context) error {
	_, err := clang(ctx)
	if err == nil {
		_, err = linker(0)
	}
	if err == nil {
		_, err = cc()
	}
	return err
}

func readyAssemblyScript(ctx context.Context) error {
	_, err := asc(ctx, "")
	return err
}

func readyWAT(context.Context) error {
	_, err := wat2wasm()
	return err
}
