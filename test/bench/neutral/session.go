package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// Time limit of every operation.
const patience = 30 * time.Second

// Session is one contestant with a kubelet, a directory, and sometimes a process.
type Session struct {
	Contestant *Contestant
	Kubelet    *Kubelet
	Setting    Setting
	Process    *Process // Nil while none runs.

	root      string
	directory string // The kubelet's, in this program's namespace.
	words     []string
	limit     int // Limit of its memory, in bytes; 0: none.
}

// Open prepares the environment of a contestant without starting anything.
func (b *Bench) Open(contestant *Contestant, resources ...Resource) (*Session, error) {
	// Short, because a socket's path has 107 bytes, of which a plugin may use 75 for the name.
	b.opened++
	root := filepath.Join(b.Root, fmt.Sprint(b.opened))
	if err := os.Mkdir(root, 0o755); err != nil {
		return nil, err
	}
	session := &Session{Contestant: contestant, root: root, limit: b.MemoryLimit}
	session.directory = filepath.Join(root, "k")
	session.Setting = Setting{
		Directory: kubeletPath,
		Work:      filepath.Join(root, "work"),
		Config:    filepath.Join(root, "patchbay.yaml"),
		Resources: resources,
	}
	if err := session.prepare(); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

func (s *Session) prepare() error {
	if err := os.Mkdir(s.Setting.Work, 0o755); err != nil {
		return err
	}
	config, err := render(patchbayConfig, s.Setting)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.Setting.Config, []byte(config), 0o644); err != nil {
		return err
	}
	if s.words, err = s.Contestant.Words(s.Setting); err != nil {
		return err
	}
	s.Kubelet, err = NewKubelet(s.directory, s.Setting.Resources)
	return err
}

// Begin starts the process and returns the time until the last first list.
func (s *Session) Begin() (time.Duration, error) {
	s.Kubelet.Forget()
	mark := s.Kubelet.Mark()
	process, err := Start(s.words, Place{Directory: s.directory, MemoryLimit: s.limit})
	if err != nil {
		return 0, err
	}
	s.Process = process
	s.Kubelet.Follow(process)
	listed, err := s.Kubelet.WaitAll(mark, patience, s.wantedUnits())
	if err != nil {
		return 0, s.explain(err)
	}
	return listed.Sub(process.Started), nil
}

func (s *Session) wantedUnits() map[string]int {
	units := map[string]int{}
	for _, resource := range s.Setting.Resources {
		units[resource.FullName()] = resource.Units
	}
	return units
}

// End ends the process and returns the time that this took.
func (s *Session) End() (time.Duration, error) {
	process := s.Process
	s.Process = nil
	return process.Stop(patience)
}

func (s *Session) Close() {
	if s.Process != nil {
		s.Process.Stop(patience) // Its report about this belongs to a row, not to the clean-up.
	}
	if s.Kubelet != nil {
		s.Kubelet.Stop()
	}
	os.RemoveAll(s.root)
}

// Adds the contestant's output to a failure.
func (s *Session) explain(err error) error {
	if s.Process == nil {
		return err
	}
	how, said := s.Process.State()
	if said != "" {
		said = "; its output: " + said
	}
	return fmt.Errorf("%w; %s%s", err, how, said)
}

// Appear calls `do`, which makes a device appear, and returns the time until its list is at the
// kubelet. `do` returns the device's name.
func (s *Session) Appear(resource string, do func() (string, error)) (time.Duration, string, error) {
	mark := s.Kubelet.Mark()
	before := len(s.Kubelet.Newest(resource))
	begin := time.Now()
	name, err := do()
	if err != nil {
		return 0, "", err
	}
	list, err := s.Kubelet.Wait(mark, patience, func(list *List) bool {
		if list.Resource != resource {
			return false
		}
		if s.Contestant.Named {
			return names(list.Devices, name)
		}
		return len(list.Devices) > before
	})
	if err != nil {
		return 0, name, s.explain(err)
	}
	return list.At.Sub(begin), name, nil
}

// Vanish calls a function that removes the device, and returns the time until the kubelet's list
// lacks it. `before` is the number of devices without it.
func (s *Session) Vanish(resource, name string, before int, do func() error) (time.Duration, error) {
	mark := s.Kubelet.Mark()
	begin := time.Now()
	if err := do(); err != nil {
		return 0, err
	}
	list, err := s.Kubelet.Wait(mark, patience, func(list *List) bool {
		if list.Resource != resource {
			return false
		}
		if s.Contestant.Named {
			return !names(list.Devices, name)
		}
		return healthy(list.Devices) <= before
	})
	if err != nil {
		return 0, s.explain(err)
	}
	return list.At.Sub(begin), nil
}

// Whether a list has the healthy unit of a device.
func names(devices []*api.Device, name string) bool {
	for _, device := range devices {
		if device.Health == api.Healthy && device.ID == name {
			return true
		}
	}
	return false
}

func healthy(devices []*api.Device) int {
	count := 0
	for _, device := range devices {
		if device.Health == api.Healthy {
			count++
		}
	}
	return count
}

// Creates a directory with that many empty files, unless it exists. Returns the pattern that
// matches them.
func (b *Bench) files(name string, count int) (string, error) {
	directory := filepath.Join(b.Root, name)
	if exists(directory) {
		return directory + "/*", nil
	}
	if err := os.Mkdir(directory, 0o755); err != nil {
		return "", err
	}
	for i := range count {
		if err := touch(filepath.Join(directory, fmt.Sprintf("unit-%05d", i))); err != nil {
			return "", err
		}
	}
	return directory + "/*", nil
}

func touch(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

// The text before the last "/*".
func folderOf(glob string) string { return strings.TrimSuffix(glob, "/*") }
