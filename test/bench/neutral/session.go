package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// How long anything may take before it is given up.
const patience = 30 * time.Second

// Session is one contestant with a kubelet, a directory, and a process now and then.
type Session struct {
	Contestant *Contestant
	Kubelet    *Kubelet
	Setting    Setting
	Process    *Process // Nil while none runs.

	root      string
	directory string // The kubelet's, as this program sees it.
	words     []string
	limit     int // Of its memory, in bytes; 0: none.
}

// Open prepares all that a contestant needs; nothing of it runs yet.
func (b *Bench) Open(contestant *Contestant, resources ...Resource) (*Session, error) {
	// Short: a socket's path has 107 bytes, of which a plugin may use 75 for the name.
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

// Begin starts the process and returns how long it took until the last first list was there.
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

// End ends the process and returns how long that took.
func (s *Session) End() (time.Duration, error) {
	process := s.Process
	s.Process = nil
	return process.Stop(patience)
}

func (s *Session) Close() {
	if s.Process != nil {
		s.Process.Stop(patience) // What it says of that is a row's, not of who cleans up.
	}
	if s.Kubelet != nil {
		s.Kubelet.Stop()
	}
	os.RemoveAll(s.root)
}

// Names a failure with what the contestant said.
func (s *Session) explain(err error) error {
	if s.Process == nil {
		return err
	}
	how, said := s.Process.State()
	if said != "" {
		said = "; it said: " + said
	}
	return fmt.Errorf("%w; %s%s", err, how, said)
}

// Appear does something by which a device appears, and returns how long it takes until its list is
// at the kubelet. `do` returns the device's name.
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

// Vanish does something by which the device goes, and returns how long it takes until the kubelet
// knows. `before` is how many there were without it.
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

// Whether a list has the unit of a device, healthy.
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

// Makes a directory with so many empty files, unless it is there; returns what matches them.
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

// What is before the last "/*".
func folderOf(glob string) string { return strings.TrimSuffix(glob, "/*") }
