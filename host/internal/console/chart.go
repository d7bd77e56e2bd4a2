package console

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// The places of a chart, in its own units.
const (
	chartWidth  = 720
	chartHeight = 190
	chartLeft   = 46
	chartTop    = 14
	chartFoot   = 30
)

// chart is a picture of bars over time, drawn as SVG by the page's template: attributes alone, as the
// policy of the pages wants it.
type chart struct {
	Width, Height int
	Left, Right   int
	Bars          []chartBar
	Lines         []chartLine
	Labels        []chartLabel
}

// chartBar is one bar, of one or more parts; Text is the words for it.
type chartBar struct {
	Text  string
	X     string
	Width string
	Parts []chartPart
}

// chartPart is a part of a bar; Kind is its class.
type chartPart struct{ Kind, Y, Height string }

// chartLine is a line across, with its number.
type chartLine struct{ Y, Text string }

// chartLabel is a time below the bars.
type chartLabel struct{ X, Text string }

// part is a part of a bar before it is drawn.
type part struct {
	kind  string
	value float64
}

// drawing gathers the bars of a chart.
type drawing struct {
	since, until time.Time
	step         time.Duration
	bars         []drawnBar
}

type drawnBar struct {
	at    time.Time
	text  string
	parts []part
}

// add adds a bar; its first part is the lowest.
func (d *drawing) add(at time.Time, text string, parts ...part) {
	d.bars = append(d.bars, drawnBar{at, text, parts})
}

func (d *drawing) chart() chart {
	most := 0.0
	for _, b := range d.bars {
		most = max(most, b.height())
	}
	most, step := scale(most)
	c := chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartWidth}
	y := func(v float64) float64 { return chartTop + (chartHeight-chartTop-chartFoot)*(1-v/most) }
	for v := 0.0; v <= most+step/2; v += step {
		c.Lines = append(c.Lines, chartLine{number(y(v)), strconv.FormatFloat(v, 'f', -1, 64)})
	}
	steps := float64(d.until.Sub(d.since)) / float64(d.step)
	wide := (chartWidth - chartLeft) / steps
	x := func(at time.Time) float64 { return chartLeft + wide*float64(at.Sub(d.since))/float64(d.step) }
	for _, b := range d.bars {
		bar := chartBar{Text: b.text, X: number(x(b.at) + wide*0.12), Width: number(wide * 0.76)}
		low := 0.0
		for _, p := range b.parts {
			if p.value > 0 {
				bar.Parts = append(bar.Parts, chartPart{p.kind, number(y(low + p.value)), number(y(low) - y(low+p.value))})
			}
			low += p.value
		}
		c.Bars = append(c.Bars, bar)
	}
	for at := d.since; at.Before(d.until); at = at.Add(d.step) {
		if text := d.label(at); text != "" {
			c.Labels = append(c.Labels, chartLabel{number(x(at)), text})
		}
	}
	return c
}

func (b drawnBar) height() (sum float64) {
	for _, p := range b.parts {
		sum += p.value
	}
	return sum
}

// label is the text below the begin of a step; empty for most, so that they have room.
func (d *drawing) label(at time.Time) string {
	at = at.Local()
	switch {
	case d.step >= 24*time.Hour:
		if at.Weekday() == time.Monday {
			return at.Format("2 Jan")
		}
	case d.step > time.Hour:
		if at.Hour() < int(d.step/time.Hour) {
			return at.Format("Mon 2")
		}
	case at.Hour()%6 == 0:
		return at.Format("15:04")
	}
	return ""
}

// scale is a round end of an axis above a number, and the distance of its lines.
func scale(most float64) (end, step float64) {
	if most <= 0 {
		return 1, 1
	}
	step = math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.2, 0.5, 1, 2} {
		if s := step * part; most/s <= 4 {
			step = s
			break
		}
	}
	step = max(step, 1)
	return math.Ceil(most/step) * step, step
}

// number is a length in the picture.
func number(v float64) string { return fmt.Sprintf("%.1f", v) }
