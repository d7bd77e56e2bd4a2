package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// projectSummary is a summary of the projects' files in force here.
type projectSummary struct {
	Files []string `json:"files"`
	Rules int      `json:"rules"`
	// Ignored stands in the files without effect.
	Ignored []project.Problem `json:"ignored,omitempty"`
}

// checkProject reads the project's files for calls in the current directory. An unusable file is an
// error with all its problems.
func checkProject(ctx context.Context) (projectSummary, error) {
	at, err := projectHere(ctx)
	if err != nil {
		return projectSummary{}, err
	}
	var s projectSummary
	var loader project.Loader
	for _, root := range at.Roots {
		file, err := loader.Load(ctx, root)
		if err != nil {
			return s, projectError(err)
		}
		if slices.ContainsFunc(file.Paths, func(p string) bool { return !slices.Contains(s.Files, p) }) {
			s.Files = append(s.Files, file.Paths...)
			s.Rules += len(file.Rules) + len(file.Disallowed)
			s.Ignored = append(s.Ignored, file.Problems...)
		}
	}
	return s, nil
}

// projectHere is the project of the current directory, or that directory itself.
func projectHere(ctx context.Context) (target.Project, error) {
	here, err := os.Getwd()
	if err != nil {
		return target.Project{}, err
	}
	at, err := (&target.Resolver{FS: target.OS()}).Project(ctx, here, []string{here})
	if err != nil {
		return at, fmt.Errorf("find the project of %s: %w", here, err)
	}
	return at, nil
}

// projectError quotes the mistake in a project's file: here the reader is the operator.
func projectError(err error) error {
	var invalid *project.Invalid
	if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
		return err
	}
	lines := make([]string, len(invalid.Problems))
	for i, p := range invalid.Problems {
		lines[i] = p.String()
	}
	return fmt.Errorf("%s\nevery call in this project is an error until the file is fixed or removed", strings.Join(lines, "\n"))
}
