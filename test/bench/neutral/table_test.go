package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A bench with simulated figures.
func measured(figures map[string]map[string][]float64) *Bench {
	bench := NewBench("/nowhere")
	bench.Contestants = []*Contestant{patchbay("patchbay", "p"), bare("b"), {Name: "other", Other: true}}
	for row, of := range figures {
		for _, contestant := range bench.Contestants {
			if samples, is := of[contestant.Name]; is {
				bench.add(&Measurement{Rows: []string{row}}, contestant, Samples{row: samples}, nil)
			}
		}
	}
	return bench
}

func repeated(value float64, count int) []float64 {
	var all []float64
	for range count {
		all = append(all, value)
	}
	return all
}

func TestTableShowsEachContestantBesideTheGoal(t *testing.T) {
	bench := measured(map[string]map[string][]float64{
		"plug-rule": {"patchbay": append(repeated(1.2, 19), 4), "floor": repeated(1, 20), "other": {2300}},
		"plug-glob": {"patchbay": append(repeated(1.2, 98), 19, 20), "other": {2300, 2500}},
		"restart-1": {"patchbay": {3, 3, 12}},
		"rss-1":     {"patchbay": {12.96}, "floor": {7.7}},
	})
	for _, row := range []string{"restart-1", "restart-100"} {
		bench.add(&Measurement{Rows: []string{row}}, bench.Contestants[2], nil, errNoList)
	}
	const want = `
|                                                  | n   | goal           | patchbay              | min–max | floor       | other  |                  |
|--------------------------------------------------|-----|----------------|-----------------------|------------|-------------|--------|------------------|
| zram plugged → list, rule over the subsystem, ms | 20  | ≤ 1.25 × floor | 1.20 (1.20)           | 1.20–4.00  | 1.00 (1.00) | 2300   | met, 1.20 ×      |
| zram plugged → list, glob, ms                    | 100 | p99 ≤ 5        | 1.20 (1.20), p99 19.0 | 1.20–20.0  | –           | 2400, p99 2500 | **not met**      |
| resident memory, 1 resource, MB                         | 1   | ≤ 11           | 13.0                  | 13.0–13.0  | 7.70        | –      | **not met**      |
| kubelet.sock created → list, 1 resource, ms     | 3   | ≤ 4, p95 ≤ 8   | 3.00                  | 3.00–12.0  | –           | unsupported | met; **not met** |
| kubelet.sock created → last list, 100 resources, ms | 0 | ≤ 50 | – | – | – | unsupported | unknown |
`
	if got := bench.Table(); squeezed(got) != squeezed(want) {
		t.Errorf("the table is\n%s", got)
	}
	if want := "other: no list received (restart-1, restart-100)"; bench.Reasons() != want {
		t.Errorf("the reasons are %q", bench.Reasons())
	}
	if bench.Failed() {
		t.Error("a row that another plugin does not support fails the run")
	}
}

// Without alignment.
func squeezed(table string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(table)) {
		if !strings.HasPrefix(line, "|-") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(lines, "\n")
}

func TestColumnsAreAligned(t *testing.T) {
	bench := measured(map[string]map[string][]float64{"allocate": {"patchbay": {75}, "floor": {69}}})
	width := 0
	for line := range strings.Lines(bench.Table()) {
		if count := len([]rune(line)); width == 0 {
			width = count
		} else if count != width {
			t.Errorf("a line has %d characters, another %d:\n%s", count, width, bench.Table())
		}
	}
}

func TestGoalOfTheFloorIsNotKnownWithoutTheFloor(t *testing.T) {
	bench := measured(map[string]map[string][]float64{"allocate": {"patchbay": {75}}})
	if !strings.Contains(bench.Table(), "| unknown |") {
		t.Errorf("the table is\n%s", bench.Table())
	}
}

func TestFailureOfPatchbayFailsTheRun(t *testing.T) {
	bench := measured(nil)
	bench.add(&Measurement{Rows: []string{"start-1", "stop-1"}}, bench.Contestants[0], nil, errNoList)
	if !bench.Failed() || !strings.Contains(bench.Table(), "| failed ") {
		t.Errorf("the table is\n%s", bench.Table())
	}
}

func TestRatiosAreOfTheFloorsMedian(t *testing.T) {
	bench := measured(map[string]map[string][]float64{
		"start-1": {"patchbay": {30, 60, 90}, "floor": {10, 20, 30}},
		"rss-1":   {"patchbay": {12}},
	})
	bench.ratios()
	if got := bench.Of("start-1", "patchbay").Median(); got != 3 {
		t.Errorf("60 / 20 is %v", got)
	}
	if table := bench.Table(); strings.Contains(table, "resident") || strings.Contains(table, "≤ 9") {
		t.Errorf("a row without a ratio to the floor is in the table\n%s", table)
	}
}

func TestJSONHasEachSampleAndVerdict(t *testing.T) {
	bench := measured(map[string]map[string][]float64{"allocate": {"patchbay": {70, 80}, "floor": {60}}})
	var written bytes.Buffer
	if err := WriteJSON(&written, Machine{Cores: 2}, []Part{{Bench: bench}}); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Machine Machine
		Parts   []partReport
	}
	if err := json.Unmarshal(written.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	row := report.Parts[0].Rows[0]
	own := row.Contestants["patchbay"]
	if own.N != 2 || own.Median != 75 || own.Least != 70 || own.Most != 80 || len(own.Samples) != 2 {
		t.Errorf("Patchbay's part is %+v", own)
	}
	if goal := row.Goals[0]; *goal.Is != 1.25 || *goal.Met || goal.AtMost != 1.05 || !goal.OfFloor {
		t.Errorf("the goal is %+v", goal)
	}
}

func TestPercentilesAreOfTheNearestRank(t *testing.T) {
	figures := Figures{Samples: []float64{5, 1, 4, 2, 3}}
	for percent, want := range map[float64]float64{1: 1, 20: 1, 21: 2, 50: 3, 95: 5, 99: 5, 100: 5} {
		if got := figures.Percentile(percent); got != want {
			t.Errorf("%v %% is %v, not %v", percent, got, want)
		}
	}
	if figures.Samples[0] != 5 {
		t.Error("the order of the samples was changed")
	}
}

func TestEveryRowIsMeasuredOnce(t *testing.T) {
	times := map[string]int{}
	for _, measurement := range measurements() {
		for _, row := range measurement.Rows {
			times[row]++
		}
	}
	for _, row := range rows {
		if times[row.ID] != 1 {
			t.Errorf("%s is measured %d times", row.ID, times[row.ID])
		}
		delete(times, row.ID)
	}
	if len(times) > 0 {
		t.Errorf("measured, but in no row: %v", times)
	}
}

func TestEveryPatternOfSurroundingsIsOfARow(t *testing.T) {
	for _, around := range surroundings(true, "") {
		for _, pattern := range around.Rows {
			if !matchesRow(pattern) {
				t.Errorf("%s: no row is called %q", around.Name, pattern)
			}
		}
	}
}
