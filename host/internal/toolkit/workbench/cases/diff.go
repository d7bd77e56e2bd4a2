package cases

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// Lines shows a difference, one line below the other. Lists and long texts are aligned: "-" is
// missing, "+" is too much, and common parts stand between.
func (d Difference) Lines() []string {
	want, wok := parts(d.Want)
	got, gok := parts(d.Got)
	if wok && gok && len(want)*len(got) <= maxAligned {
		return align(want, got)
	}
	return []string{"want " + card.Line(d.Want), "got  " + card.Line(d.Got)}
}

// maxAligned bounds the work of aligning: the product of the numbers of lines.
const maxAligned = 1 << 20

// shortText is the length from which texts are shown line by line.
const shortText = 60

// parts are the elements of a list, or the lines of a text; false for values better shown
// whole.
func parts(v string) ([]string, bool) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(v), &list) == nil && list != nil {
		out := make([]string, len(list))
		for i, item := range list {
			out[i] = card.Line(text(item))
		}
		return out, true
	}
	var long string
	if json.Unmarshal([]byte(v), &long) != nil || len(long) <= shortText && !strings.Contains(long, "\n") {
		return nil, false
	}
	lines := strings.Split(long, "\n")
	for i, line := range lines {
		lines[i] = card.Line(strconv.Quote(line))
	}
	return lines, true
}

// align is a diff of lines by their longest common subsequence.
func align(want, got []string) []string {
	common := make([][]int, len(want)+1) // of want[i:] and got[j:]
	for i := range common {
		common[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			out = append(out, "  "+want[i])
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+want[i])
			i++
		default:
			out = append(out, "+ "+got[j])
			j++
		}
	}
	return out
}
