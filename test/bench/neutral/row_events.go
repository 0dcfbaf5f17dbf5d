package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const domain = "example.com"

// Before each change. Longer than the 100 ms within which Patchbay combines changes into one list,
// so each change is the first of its list.
const beforeChange = 120 * time.Millisecond

var (
	zramByGlob = Resource{Domain: domain, Name: "zram", Glob: "/dev/zram*"}
	zramByRule = Resource{Domain: domain, Name: "zram", Glob: "/dev/zram*", Subsystem: "block", Device: "zram*"}
	nullByRule = Resource{Domain: domain, Name: "null", Glob: "/dev/null", Subsystem: "mem", Device: "null", Units: 1}
)

// Plugs a zram device: from before the read of sysfs in which the kernel makes it, until the list
// with it is decoded. Then removes it: from before the write until the kubelet's list lacks it.
func plugged(row, gone string, resource Resource) *Measurement {
	return &Measurement{
		Rows: []string{row, gone}, Takes: 200, Quick: 40, Blocks: 10, Sharing: Apart,
		Floor: resource.Subsystem != "",
		Open:  running(func(*Bench) ([]Resource, error) { return []Resource{resource}, nil }),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			appeared, vanished, err := s.plugOnce()
			return Samples{row: {milliseconds(appeared)}, gone: {milliseconds(vanished)}}, err
		},
	}
}

// Plugs a device of the session's first resource, and removes it.
func (s *Session) plugOnce() (appeared, vanished time.Duration, err error) {
	resource := s.Setting.Resources[0].FullName()
	before := healthy(s.Kubelet.Newest(resource))
	time.Sleep(beforeChange)
	appeared, name, err := s.Appear(resource, plugZram)
	if err != nil {
		if name != "" {
			unplugZram(name) // The failure is reported.
		}
		return 0, 0, err
	}
	time.Sleep(beforeChange)
	vanished, err = s.Vanish(resource, name, before, func() error { return unplugZram(name) })
	return appeared, vanished, err
}

// Creates a file in a directory with others. From before open(2) until the list with it is decoded.
func appearing(row string, others, takes int) *Measurement {
	return &Measurement{
		Rows: []string{row}, Takes: takes, Quick: 20, Blocks: 5, Sharing: Apart, Floor: true,
		Open: running(func(b *Bench) ([]Resource, error) {
			glob, err := b.files(fmt.Sprintf("others-%d", others), others)
			return []Resource{{Domain: domain, Name: "file", Glob: glob, Units: others}}, err
		}),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			resource := s.Setting.Resources[0]
			before := healthy(s.Kubelet.Newest(resource.FullName()))
			path := filepath.Join(folderOf(resource.Glob), "unit-new")
			time.Sleep(beforeChange)
			took, name, err := s.Appear(resource.FullName(), func() (string, error) {
				return filepath.Base(path), touch(path)
			})
			if err != nil {
				os.Remove(path)
				return nil, err
			}
			time.Sleep(beforeChange)
			_, err = s.Vanish(resource.FullName(), name, before, func() error { return os.Remove(path) })
			return Samples{row: {milliseconds(took)}}, err
		},
	}
}

// Causes that many uevents, then a plug. When the plug is listed, all earlier uevents have been
// processed. The figure is the CPU time of the contestant until then. The uevents are `change` of
// /dev/null, written as fast as the kernel accepts them.
func flooded(row string, resources ...Resource) *Measurement {
	const uevents = 10_000
	return &Measurement{
		Rows: []string{row}, Takes: 10, Quick: 3, Blocks: 10, Sharing: Apart, Floor: len(resources) == 1,
		Open: running(func(*Bench) ([]Resource, error) { return resources, nil }),
		Take: func(_ *Bench, s *Session) (Samples, error) {
			before, err := cpuOf(s.Process.Pid())
			if err != nil {
				return nil, err
			}
			if err := storm(uevents); err != nil {
				return nil, err
			}
			if _, _, err := s.plugOnce(); err != nil {
				return nil, err
			}
			after, err := cpuOf(s.Process.Pid())
			return Samples{row: {milliseconds(after - before)}}, err
		},
	}
}

// Opens a session with a running contestant.
func running(resources func(*Bench) ([]Resource, error)) func(*Bench, *Contestant) (*Session, error) {
	return func(b *Bench, contestant *Contestant) (*Session, error) {
		session, err := prepared(resources)(b, contestant)
		if err != nil {
			return nil, err
		}
		if _, err := session.Begin(); err != nil {
			session.Close()
			return nil, err
		}
		return session, nil
	}
}

// Opens a session in which each take starts the contestant.
func prepared(resources func(*Bench) ([]Resource, error)) func(*Bench, *Contestant) (*Session, error) {
	return func(b *Bench, contestant *Contestant) (*Session, error) {
		wanted, err := resources(b)
		if err != nil {
			return nil, err
		}
		return b.Open(contestant, wanted...)
	}
}
