package main

import (
	"math"
	"slices"
)

// Figures are all values of one row and one contestant, in the row's unit.
type Figures struct {
	Samples []float64
	Cannot  string // Why there are no values.
	Failed  string // The failure.
}

// Percentile of the samples, by the nearest rank. There must be samples.
func (f *Figures) Percentile(percent float64) float64 {
	sorted := slices.Sorted(slices.Values(f.Samples))
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func (f *Figures) Median() float64 {
	sorted := slices.Sorted(slices.Values(f.Samples))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func (f *Figures) Least() float64 { return slices.Min(f.Samples) }
func (f *Figures) Most() float64  { return slices.Max(f.Samples) }

// Statistic is the subject of a goal.
type Statistic string

const (
	Median Statistic = "median"
	P95    Statistic = "p95"
	P99    Statistic = "p99"
)

func (f *Figures) Of(statistic Statistic) float64 {
	switch statistic {
	case P95:
		return f.Percentile(95)
	case P99:
		return f.Percentile(99)
	default:
		return f.Median()
	}
}

// Goal is the maximum of a statistic of Patchbay: a figure, or a multiple of the floor's.
type Goal struct {
	Statistic Statistic
	Limit     float64
	OfFloor   bool
}

// Verdict on one goal. Known is false without samples, or without those of the floor.
type Verdict struct {
	Known bool
	Met   bool
	Is    float64 // The figure, or the ratio to the floor.
}

func (g Goal) Judge(figures, floor *Figures) Verdict {
	if figures == nil || len(figures.Samples) == 0 {
		return Verdict{}
	}
	is := figures.Of(g.Statistic)
	if g.OfFloor {
		if floor == nil || len(floor.Samples) == 0 {
			return Verdict{}
		}
		is /= floor.Of(g.Statistic)
	}
	return Verdict{Known: true, Met: is <= g.Limit, Is: is}
}
