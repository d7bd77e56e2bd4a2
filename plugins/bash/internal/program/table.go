package program

import "slices"

// tables gathers the rows of every table.
func tables() []Row {
	return slices.Concat(
		fileRows, textRows, shellRows, searchRows, wrapperRows, codeRows, tmuxRows, archiveRows, systemRows,
		gitRows, buildRows, networkRows, cloudRows, containerRows, packageRows,
	)
}
