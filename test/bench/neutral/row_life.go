package main

import (
	"fmt"
	"path/filepath"
	"time"
)

// One resource with that many units, each a file.
func oneResource(units int) func(*Bench) ([]Resource, error) {
	return func(b *Bench) ([]Resource, error) {
		glob, err := b.files(fmt.Sprintf("units-%d", units), units)
		return []Resource{{Domain: domain, Name: "units", Glob: glob, Units: units}}, err
	}
}

// That many resources with one unit each.
func resourcesOfOne(count int) func(*Bench) ([]Resource, error) {
	return func(b *Bench) ([]Resource, error) {
		glob, err := b.files(fmt.Sprintf("single-%d", count), count)
		var all []Resource
		for i := range count {
			all = append(all, Resource{
				Domain: domain,
				Name:   fmt.Sprintf("r%d", i),
				Glob:   filepath.Join(folderOf(glob), fmt.Sprintf("unit-%05d", i)),
				Units:  1,
			})
		}
		return all, err
	}
}

// From exec(2) until the last first list is decoded; and from SIGTERM until the process has ended.
func started(row, ended string, takes int, resources func(*Bench) ([]Resource, error)) *Measurement {
	const rest = 200 * time.Millisecond
	measurement := &Measurement{
		Rows: []string{row}, Takes: takes, Quick: 5, Sharing: Alternate, Floor: true,
		Open: prepared(resources),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			began, err := s.Begin()
			if err != nil {
				return nil, err
			}
			time.Sleep(rest)
			stopped, err := s.End()
			samples := Samples{row: {milliseconds(began)}}
			if ended != "" {
				samples[ended] = []float64{milliseconds(stopped)}
			}
			return samples, err
		},
	}
	if ended != "" {
		measurement.Rows = append(measurement.Rows, ended)
	}
	return measurement
}

// The kubelet disappears, its directory is emptied, and a new one starts. From before bind(2) of
// kubelet.sock until the last list is decoded.
func restarted(row string, takes int, resources func(*Bench) ([]Resource, error)) *Measurement {
	const down, up = 300 * time.Millisecond, 500 * time.Millisecond
	return &Measurement{
		Rows: []string{row}, Takes: takes, Quick: 10, Sharing: Alternate, Floor: true,
		Open: running(resources),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			s.Kubelet.Stop()
			time.Sleep(down)
			if err := s.Kubelet.Clear(); err != nil {
				return nil, err
			}
			time.Sleep(down)
			s.Kubelet.Forget()
			mark := s.Kubelet.Mark()
			begin := time.Now()
			if err := s.Kubelet.Start(); err != nil {
				return nil, err
			}
			listed, err := s.Kubelet.WaitAll(mark, patience, s.wantedUnits())
			if err != nil {
				return nil, s.explain(err)
			}
			time.Sleep(up)
			return Samples{row: {milliseconds(listed.Sub(begin))}}, nil
		},
	}
}
