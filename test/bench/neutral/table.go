package main

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Figures have three significant digits.
func number(value float64) string {
	switch magnitude := math.Abs(value); {
	case magnitude >= 99.95:
		return fmt.Sprintf("%.0f", value)
	case magnitude >= 9.995:
		return fmt.Sprintf("%.1f", value)
	default:
		return fmt.Sprintf("%.2f", value)
	}
}

// The median, and (p95) if there are enough samples; p99 if the goal refers to it.
func cell(row Row, figures *Figures) string {
	switch {
	case figures == nil:
		return "–"
	case figures.Failed != "":
		return "failed"
	case figures.Cannot != "":
		return "unsupported"
	case len(figures.Samples) == 0:
		return "–"
	}
	text := number(figures.Median())
	const enough = 20
	if len(figures.Samples) >= enough {
		text += fmt.Sprintf(" (%s)", number(figures.Percentile(95)))
	}
	for _, goal := range row.Goals {
		if goal.Statistic == P99 {
			text += fmt.Sprintf(", p99 %s", number(figures.Percentile(99)))
		}
	}
	return text
}

// The minimum and the maximum.
func spread(figures *Figures) string {
	if figures == nil || len(figures.Samples) == 0 {
		return "–"
	}
	return number(figures.Least()) + "–" + number(figures.Most())
}

func goals(row Row) string {
	var texts []string
	for _, goal := range row.Goals {
		text := "≤ " + number(goal.Limit)
		if goal.Limit == math.Trunc(goal.Limit) {
			text = fmt.Sprintf("≤ %.0f", goal.Limit)
		}
		if goal.OfFloor {
			text += " × floor"
		}
		if goal.Statistic != Median {
			text = string(goal.Statistic) + " " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func (b *Bench) verdict(row Row, ours string) string {
	var texts []string
	for _, goal := range row.Goals {
		verdict := goal.Judge(b.Of(row.ID, ours), b.Of(row.ID, "floor"))
		text := "unknown"
		switch {
		case verdict.Known && verdict.Met:
			text = "met"
		case verdict.Known:
			text = "**not met**"
		}
		if verdict.Known && goal.OfFloor {
			text += fmt.Sprintf(", %.2f ×", verdict.Is)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// The rows with figures, with the contestants in the given order.
func (b *Bench) cells() [][]string {
	ours := b.Contestants[0].Name
	header := []string{"", "n", "goal", ours, "min–max"}
	for _, contestant := range b.Contestants[1:] {
		header = append(header, contestant.Name)
	}
	lines := [][]string{append(header, "")}
	for _, row := range b.Rows {
		if b.figures[row.ID] == nil {
			continue
		}
		own := b.Of(row.ID, ours)
		what := row.What
		if row.Unit != "" {
			what += ", " + row.Unit
		}
		count := 0
		if own != nil {
			count = len(own.Samples)
		}
		line := []string{what, fmt.Sprint(count), goals(row), cell(row, own), spread(own)}
		for _, contestant := range b.Contestants[1:] {
			line = append(line, cell(row, b.Of(row.ID, contestant.Name)))
		}
		lines = append(lines, append(line, b.verdict(row, ours)))
	}
	return lines
}

// Table in Markdown, aligned so that the source is also readable.
func (b *Bench) Table() string {
	lines := b.cells()
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for column, text := range line {
			widths[column] = max(widths[column], utf8.RuneCountInString(text))
		}
	}
	var table strings.Builder
	write := func(line []string) {
		for column, text := range line {
			table.WriteString("| " + text + strings.Repeat(" ", widths[column]-utf8.RuneCountInString(text)) + " ")
		}
		table.WriteString("|\n")
	}
	write(lines[0])
	for _, width := range widths {
		table.WriteString("|" + strings.Repeat("-", width+2))
	}
	table.WriteString("|\n")
	for _, line := range lines[1:] {
		write(line)
	}
	return table.String()
}

// Reasons for contestants without figures, one per line with its rows.
func (b *Bench) Reasons() string {
	var reasons []string
	of := map[string][]string{}
	for _, contestant := range b.Contestants {
		for _, row := range b.Rows {
			figures := b.Of(row.ID, contestant.Name)
			if figures == nil || figures.Cannot+figures.Failed == "" {
				continue
			}
			reason := fmt.Sprintf("%s: %s%s", contestant.Name, figures.Cannot, figures.Failed)
			if of[reason] == nil {
				reasons = append(reasons, reason)
			}
			of[reason] = append(of[reason], row.ID)
		}
	}
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", reason, strings.Join(of[reason], ", "))
	}
	return strings.Join(reasons, "\n")
}

// Whether an unexpected failure occurred.
func (b *Bench) Failed() bool {
	for _, row := range b.figures {
		for _, figures := range row {
			if figures.Failed != "" {
				return true
			}
		}
	}
	return false
}
