package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Samples are the values of one take, by row.
type Samples map[string][]float64

// How the contestants of a measurement share the machine.
type Sharing int

const (
	// One contestant at a time runs a block of takes and is ended; then the next one starts. Several
	// rounds. For measurements that affect all others.
	Apart Sharing = iota
	// All run. One after the other is measured; the others are idle.
	Alternate
	// All run and are measured at the same time. For long measurements that hardly use the machine.
	AtOnce
)

// Measurement fills one or more rows.
type Measurement struct {
	Rows    []string // Ids of the rows.
	Takes   int      // Per contestant.
	Quick   int      // The same for a quick run.
	Blocks  int      // Number of blocks of Apart.
	Sharing Sharing
	Floor   bool // The floor is also measured.
	// Prepares a session, and starts the contestant unless each take starts it.
	Open func(*Bench, *Contestant) (*Session, error)
	Take func(*Bench, *Session) (Samples, error)
}

// A slow contestant makes fewer takes than others in the same time.
const blockBudget = 12 * time.Second

// Bench runs measurements.
type Bench struct {
	Root        string // A separate directory.
	MemoryLimit int    // Per contestant, in bytes; 0: none.
	Quick       bool
	Contestants []*Contestant // Patchbay first.
	Rows        []Row
	Progress    func(string)

	opened  int
	mu      sync.Mutex
	figures map[string]map[string]*Figures // by row, by contestant
}

func NewBench(root string) *Bench {
	return &Bench{
		Root: root, Rows: slices.Clone(rows), Progress: func(string) {},
		figures: map[string]map[string]*Figures{},
	}
}

// Of returns the figures of a row and a contestant; nil if it was not measured.
func (b *Bench) Of(row, contestant string) *Figures { return b.figures[row][contestant] }

func (b *Bench) add(m *Measurement, contestant *Contestant, samples Samples, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, row := range m.Rows {
		if b.figures[row] == nil {
			b.figures[row] = map[string]*Figures{}
		}
		figures := b.figures[row][contestant.Name]
		if figures == nil {
			figures = &Figures{}
			b.figures[row][contestant.Name] = figures
		}
		figures.Samples = append(figures.Samples, samples[row]...)
		if err == nil {
			continue
		}
		if errors.As(err, new(Cannot)) || contestant.Other {
			figures.Cannot = err.Error()
		} else {
			figures.Failed = err.Error()
		}
	}
}

// Run measures. Failures are recorded with the figures.
func (b *Bench) Run(m *Measurement) {
	// Garbage collection must not run during a sample, only between samples.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	takes := m.Takes
	if b.Quick {
		takes = m.Quick
	}
	var taking []*Contestant
	for _, contestant := range b.Contestants {
		if m.Floor || !contestant.Floor {
			taking = append(taking, contestant)
		}
	}
	if m.Sharing == Apart {
		b.runApart(m, taking, takes)
	} else {
		b.runTogether(m, taking, takes)
	}
}

func (b *Bench) runApart(m *Measurement, contestants []*Contestant, takes int) {
	blocks := min(m.Blocks, takes)
	dropped := map[*Contestant]bool{}
	for block := range blocks {
		each := (takes*(block+1))/blocks - (takes*block)/blocks
		for _, contestant := range turned(contestants, block) {
			if dropped[contestant] {
				continue
			}
			b.Progress(fmt.Sprintf("%s: %s, block %d of %d", m.Rows[0], contestant.Name, block+1, blocks))
			session, err := m.Open(b, contestant)
			if err == nil {
				begin := time.Now()
				for taken := 0; taken < each && (taken < 2 || time.Since(begin) < blockBudget); taken++ {
					var samples Samples
					samples, err = b.take(m, session)
					if err != nil {
						break
					}
					b.add(m, contestant, samples, nil)
				}
				session.Close()
			}
			if err != nil {
				b.add(m, contestant, nil, err)
				dropped[contestant] = true
			}
		}
	}
}

func (b *Bench) runTogether(m *Measurement, contestants []*Contestant, takes int) {
	sessions := map[*Contestant]*Session{}
	defer func() {
		for _, session := range sessions {
			session.Close()
		}
	}()
	for _, contestant := range contestants {
		session, err := m.Open(b, contestant)
		if err != nil {
			b.add(m, contestant, nil, err)
			continue
		}
		sessions[contestant] = session
	}
	for round := range takes {
		b.Progress(fmt.Sprintf("%s: round %d of %d", m.Rows[0], round+1, takes))
		var all sync.WaitGroup
		for _, contestant := range turned(contestants, round) {
			session := sessions[contestant]
			if session == nil {
				continue
			}
			measure := func() {
				samples, err := b.take(m, session)
				b.add(m, contestant, samples, err)
				if err != nil {
					b.mu.Lock()
					delete(sessions, contestant)
					b.mu.Unlock()
					session.Close()
				}
			}
			if m.Sharing == AtOnce {
				all.Go(measure)
			} else {
				measure()
			}
		}
		all.Wait()
	}
}

func (b *Bench) take(m *Measurement, session *Session) (Samples, error) {
	const much = 64 << 20
	if m.Sharing != AtOnce {
		var memory runtime.MemStats
		if runtime.ReadMemStats(&memory); memory.HeapAlloc > much {
			session.Kubelet.Forget()
			runtime.GC()
		}
	}
	return m.Take(b, session)
}

// Divides each figure by the median of the floor. Rows without a floor become empty.
func (b *Bench) ratios() {
	for i := range b.Rows {
		row := &b.Rows[i]
		floor := b.Of(row.ID, "floor")
		if floor == nil || len(floor.Samples) == 0 {
			delete(b.figures, row.ID)
			continue
		}
		median := floor.Median()
		for _, figures := range b.figures[row.ID] {
			for sample := range figures.Samples {
				figures.Samples[sample] /= median
			}
		}
		row.Unit = "× floor"
		row.Goals = slices.DeleteFunc(slices.Clone(row.Goals), func(goal Goal) bool { return !goal.OfFloor })
	}
}

// The order changes, so that another contestant is first each time.
func turned(contestants []*Contestant, by int) []*Contestant {
	by %= max(len(contestants), 1)
	return append(slices.Clone(contestants[by:]), contestants[:by]...)
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}
func microseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Microsecond)
}
