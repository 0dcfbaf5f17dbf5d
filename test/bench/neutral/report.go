package main

import (
	"encoding/json"
	"io"
)

type rowReport struct {
	ID          string                      `json:"id"`
	What        string                      `json:"what"`
	Unit        string                      `json:"unit,omitempty"`
	Goals       []goalReport                `json:"goals"`
	Contestants map[string]contestantReport `json:"contestants"`
}

type goalReport struct {
	Statistic Statistic `json:"statistic"`
	AtMost    float64   `json:"atMost"`
	OfFloor   bool      `json:"ofFloor"`
	Is        *float64  `json:"is"` // Null if unknown.
	Met       *bool     `json:"met"`
}

type contestantReport struct {
	N       int       `json:"n"`
	Median  float64   `json:"median"`
	P95     float64   `json:"p95"`
	P99     float64   `json:"p99"`
	Least   float64   `json:"least"`
	Most    float64   `json:"most"`
	Cannot  string    `json:"cannot,omitempty"`
	Failed  string    `json:"failed,omitempty"`
	Samples []float64 `json:"samples"`
}

type partReport struct {
	Surroundings string      `json:"surroundings"`
	Cannot       string      `json:"cannot,omitempty"`
	Rows         []rowReport `json:"rows"`
}

// WriteJSON writes everything, including each sample.
func WriteJSON(to io.Writer, machine Machine, parts []Part) error {
	report := struct {
		Machine Machine      `json:"machine"`
		Parts   []partReport `json:"parts"`
	}{Machine: machine}
	for _, part := range parts {
		report.Parts = append(report.Parts,
			partReport{part.Surroundings.Name, part.Cannot, part.Bench.report()})
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}

func (b *Bench) report() []rowReport {
	all := []rowReport{}
	for _, row := range b.Rows {
		if b.figures[row.ID] == nil {
			continue
		}
		line := rowReport{ID: row.ID, What: row.What, Unit: row.Unit, Goals: []goalReport{},
			Contestants: map[string]contestantReport{}}
		for _, goal := range row.Goals {
			verdict := goal.Judge(b.Of(row.ID, b.Contestants[0].Name), b.Of(row.ID, "floor"))
			judged := goalReport{Statistic: goal.Statistic, AtMost: goal.Limit, OfFloor: goal.OfFloor}
			if verdict.Known {
				judged.Is, judged.Met = &verdict.Is, &verdict.Met
			}
			line.Goals = append(line.Goals, judged)
		}
		for name, figures := range b.figures[row.ID] {
			entry := contestantReport{N: len(figures.Samples), Cannot: figures.Cannot,
				Failed: figures.Failed, Samples: append([]float64{}, figures.Samples...)}
			if entry.N > 0 {
				entry.Median, entry.P95, entry.P99 = figures.Median(), figures.Percentile(95), figures.Percentile(99)
				entry.Least, entry.Most = figures.Least(), figures.Most()
			}
			line.Contestants[name] = entry
		}
		all = append(all, line)
	}
	return all
}
