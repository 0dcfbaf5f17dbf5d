package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"syscall"
	"time"
)

// Surroundings are the conditions in which rows are measured.
type Surroundings struct {
	Name     string
	Document string   // The document of the repository with their tables.
	Rows     []string // Patterns; none: all.
	// Enter prepares them and returns a function that undoes this, or a Cannot if they are impossible
	// here.
	Enter func(*Bench) (leave func(), err error)
	// Only ratios to the floor are meaningful.
	Ratios bool
}

func (s Surroundings) has(row string) bool {
	for _, pattern := range s.Rows {
		if is, _ := path.Match(pattern, row); is {
			return true
		}
	}
	return len(s.Rows) == 0
}

const podLimit = 64 << 20

const (
	userDocument  = "docs/dev/performance.md"
	benchDocument = "test/bench/README.md"
)

// The first ones belong to the short form. `arm64` is the folder of a build, or "".
func surroundings(long bool, arm64 string) []Surroundings {
	all := []Surroundings{{
		Document: userDocument,
		Enter:    func(*Bench) (func(), error) { return func() {}, nil },
	}}
	if !long {
		return all
	}
	return append(all,
		Surroundings{
			Name:     "With udevd",
			Document: userDocument,
			Rows:     []string{"plug-*", "unplug-*", "file", "uevents-*"},
			Enter:    func(*Bench) (func(), error) { return withUdevd() },
		},
		Surroundings{
			Name:     "In a control group of 64 MiB",
			Document: benchDocument,
			// The goal allows more memory for 43 690 units.
			Rows: []string{"plug-rule", "file-10000", "allocate", "start-1", "start-10000", "rss-1", "rss-100",
				"rss-200", "rss-10000"},
			Enter: func(b *Bench) (func(), error) {
				b.MemoryLimit = podLimit
				return func() {}, nil
			},
		},
		Surroundings{
			Name:     "On arm64, emulated",
			Document: benchDocument,
			Rows:     []string{"plug-rule", "file", "file-1000", "allocate", "allocate-silence", "start-1", "start-100"},
			Enter:    func(b *Bench) (func(), error) { return func() {}, emulated(b, arm64) },
			Ratios:   true,
		},
	)
}

const udevd = "/lib/systemd/systemd-udevd"

func udevdAnswers() bool {
	return exists("/run/udev/control") && exec.Command("udevadm", "control", "--ping").Run() == nil
}

// The machine's own udevd, or a new one that is ended after it has processed all events.
func withUdevd() (func(), error) {
	if udevdAnswers() {
		return func() {}, nil
	}
	if !exists(udevd) {
		return nil, Cannot{udevd + " does not exist"}
	}
	const recordOfNull = "/run/udev/data/c1:3" // It records our uevents of /dev/null.
	recorded := exists(recordOfNull)
	daemon := exec.Command(udevd)
	daemon.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := daemon.Start(); err != nil {
		return nil, err
	}
	leave := onMachine.Add(func() {
		waitUntil(func() bool { return !exists("/run/udev/queue") })
		daemon.Process.Signal(syscall.SIGTERM)
		daemon.Wait()
		os.Remove("/run/udev/control") // It leaves this file.
		if !recorded {
			os.Remove(recordOfNull)
		}
	})
	if !waitUntil(udevdAnswers) {
		leave()
		return nil, Cannot{udevd + " does not answer"}
	}
	return leave, nil
}

func waitUntil(condition func() bool) bool {
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// The daemon and the floor are those of arm64 in the process emulator; other contestants are
// omitted.
func emulated(b *Bench, build string) error {
	if build == "" {
		return Cannot{"build/release-arm64 does not exist: run scripts/setup --arm64, then scripts/build release-arm64"}
	}
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		return Cannot{"qemu-aarch64 does not exist: run scripts/setup --arm64"}
	}
	root := filepath.Join(build, "..", "sysroot", "arm64")
	before := []string{qemu, filepath.Join(root, "lib/ld-linux-aarch64.so.1"),
		"--library-path", filepath.Join(root, "lib/aarch64-linux-gnu")}
	own := patchbay("patchbay", filepath.Join(build, "src/patchbay"))
	floor := bare(filepath.Join(build, "test/bench/bare_plugin"))
	own.Before, floor.Before = before, before
	b.Contestants = []*Contestant{own, floor}
	return nil
}

// Part is the result of one kind of surroundings.
type Part struct {
	Surroundings Surroundings
	Bench        *Bench
	Cannot       string
}

// Measures the requested rows in the surroundings.
func (s Surroundings) measure(b *Bench, only []string) Part {
	part := Part{Surroundings: s, Bench: b}
	leave, err := s.Enter(b)
	if err != nil {
		part.Cannot = err.Error()
		return part
	}
	defer leave()
	for _, measurement := range measurements() {
		for _, row := range measurement.Rows {
			if s.has(row) && wanted(row, only) {
				b.Run(measurement)
				break
			}
		}
	}
	if s.Ratios {
		b.ratios()
	}
	return part
}

func (p Part) String() string {
	text := ""
	if p.Surroundings.Name != "" {
		text = fmt.Sprintf("### %s\n\n", p.Surroundings.Name)
	}
	if p.Cannot != "" {
		return text + p.Cannot + "\n"
	}
	text += p.Bench.Table()
	if reasons := p.Bench.Reasons(); reasons != "" {
		text += "\n```text\n" + reasons + "\n```\n"
	}
	return text
}
