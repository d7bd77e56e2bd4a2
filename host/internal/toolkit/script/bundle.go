package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// sdkImport is an author's import of the SDK.
const sdkImport = "callgate"

// projectFile marks a project's directory; see host/internal/toolkit/scaffold.
const projectFile = "callgate-tool.yaml"

// extensions are the files of a script.
var extensions = []string{".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".json"}

// maxMessages is how many of the errors are told.
const maxMessages = 10

// Bundle makes one script of the file entry, in TypeScript or JavaScript, and its imports: an
// ES2020 script for Link. callgateTS is the SDK's source, for `import ... from "callgate"` in
// any file. Types are removed, not checked. It reads only imported files, in the project's
// directory (the one at or above the entry's with a callgate-tool.yaml, else the entry's own)
// or in a node_modules. The same files give the same bytes. The error has one line for each
// mistake, of the form FILE:LINE:COLUMN: TEXT, counted from 1, FILE relative to the project's
// directory.
func Bundle(ctx context.Context, entry string, callgateTS []byte) (js []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, entry, err := project(entry)
	if err != nil {
		return nil, err
	}
	build, failed := api.Context(api.BuildOptions{
		AbsWorkingDir: root, EntryPoints: []string{entry}, Outfile: filepath.Join(root, "script.js"),
		Bundle: true, Write: false, Format: api.FormatIIFE, Target: api.ES2020, Charset: api.CharsetUTF8,
		Platform: api.PlatformNeutral, MainFields: []string{"module", "main"}, ResolveExtensions: extensions,
		MinifyWhitespace: true, MinifySyntax: true, TreeShaking: api.TreeShakingTrue, LegalComments: api.LegalCommentsNone,
		TsconfigRaw: "{}", LogLevel: api.LogLevelSilent, LogLimit: maxMessages,
		Plugins: []api.Plugin{sdkPlugin(callgateTS), insidePlugin(root)},
	})
	if failed != nil {
		return nil, messages(failed.Errors)
	}
	defer build.Dispose()
	defer context.AfterFunc(ctx, build.Cancel)()
	result := build.Rebuild()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(result.Errors) > 0:
		return nil, messages(result.Errors)
	case len(result.OutputFiles) != 1:
		return nil, fmt.Errorf("bundle %s: %d files came of it, want one", entry, len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, nil
}

// project returns the project's directory and the entry, both absolute and without
// links.
func project(entry string) (root, file string, err error) {
	if file, err = filepath.Abs(entry); err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return "", "", fmt.Errorf("bundle: %w", err)
	}
	if !slices.Contains(extensions, filepath.Ext(file)) {
		return "", "", fmt.Errorf("bundle %s: want a file in TypeScript or JavaScript (%s)", entry, strings.Join(extensions[:4], " "))
	}
	root = filepath.Dir(file)
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, projectFile)); err == nil {
			return dir, file, nil
		}
		if dir == filepath.Dir(dir) {
			return root, file, nil
		}
	}
}

// sdkPlugin answers the import of the SDK.
func sdkPlugin(source []byte) api.Plugin {
	const namespace = "sdk"
	return api.Plugin{Name: namespace, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^" + sdkImport + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "callgate.ts", Namespace: namespace, SideEffects: api.SideEffectsFalse}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			text := string(source)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderTS}, nil
		})
	}}
}

// insidePlugin refuses files outside the project.
func insidePlugin(root string) api.Plugin {
	return api.Plugin{Name: "project", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if !slices.Contains(extensions, filepath.Ext(args.Path)) {
				return api.OnLoadResult{}, fmt.Errorf("%s is no script: only %s can be imported", args.Path, strings.Join(extensions, " "))
			}
			rel, err := filepath.Rel(root, args.Path)
			installed := slices.Contains(strings.Split(filepath.ToSlash(args.Path), "/"), "node_modules")
			if err != nil || !filepath.IsLocal(rel) && !installed {
				return api.OnLoadResult{}, fmt.Errorf("%s lies outside of the project's directory %s", args.Path, root)
			}
			return api.OnLoadResult{}, nil // esbuild reads it
		})
	}}
}

// messages makes one error of esbuild's.
func messages(list []api.Message) error {
	lines := make([]string, 0, len(list))
	for _, m := range list {
		if m.Location == nil {
			lines = append(lines, m.Text)
			continue
		}
		file := strings.TrimPrefix(m.Location.File, "sdk:")
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", file, m.Location.Line, m.Location.Column+1, m.Text))
	}
	return errors.New(strings.Join(lines, "\n"))
}
