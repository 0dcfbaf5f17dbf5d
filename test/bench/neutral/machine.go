package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	zramControl = "/sys/class/zram-control/"
	nullUevent  = "/sys/devices/virtual/mem/null/uevent"
)

// The device that this program plugged and has not removed yet; "" if there is none.
var pluggedNow struct {
	sync.Mutex
	name string
}

// Plugs a zram device and returns its name.
func plugZram() (string, error) {
	pluggedNow.Lock()
	defer pluggedNow.Unlock()
	number, err := readOnce(zramControl + "hot_add")
	if err != nil {
		return "", fmt.Errorf("plugging a zram device failed: %w", err)
	}
	pluggedNow.name = "zram" + strings.TrimSpace(number)
	return pluggedNow.name, nil
}

// Removes a device that this program plugged. Other programs may have it open for a moment.
func unplugZram(name string) error {
	deadline := time.Now().Add(patience)
	for {
		err := writeOnce(zramControl+"hot_remove", strings.TrimPrefix(name, "zram"))
		if err == nil {
			pluggedNow.Lock()
			pluggedNow.name = ""
			pluggedNow.Unlock()
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// Cleans up after an early end.
func unplugAll() {
	pluggedNow.Lock()
	name := pluggedNow.name
	pluggedNow.Unlock()
	if name != "" {
		unplugZram(name) // No further action is possible.
	}
}

// Causes that many uevents "change" of /dev/null.
func storm(count int) error {
	file, err := unix.Open(nullUevent, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", nullUevent, err)
	}
	defer unix.Close(file)
	for range count {
		if _, err := unix.Pwrite(file, []byte("change"), 0); err != nil {
			return fmt.Errorf("%s: %w", nullUevent, err)
		}
	}
	return nil
}

// A kernel file without Go's poller.
func readOnce(path string) (string, error) {
	file, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(file)
	text := make([]byte, 64)
	count, err := unix.Read(file, text)
	if err != nil {
		return "", err
	}
	return string(text[:count]), nil
}

func writeOnce(path, text string) error {
	file, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(file)
	_, err = unix.Write(file, []byte(text))
	return err
}

// Machine describes the machine of the measurements.
type Machine struct {
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Kernel    string `json:"kernel"`
	Udevd     bool   `json:"udevd"`
}

func (m Machine) String() string {
	udevd := "without udevd"
	if m.Udevd {
		udevd = "with udevd"
	}
	return fmt.Sprintf("%s, %d cores, Linux %s, %s:",
		m.Processor, m.Cores, m.Kernel, udevd)
}

func thisMachine() Machine {
	var names unix.Utsname
	unix.Uname(&names)
	machine := Machine{
		Processor: runtime.GOARCH,
		Cores:     runtime.NumCPU(),
		Kernel:    string(bytes.TrimRight(names.Release[:], "\x00")),
		Udevd:     udevdAnswers(),
	}
	text, _ := os.ReadFile("/proc/cpuinfo") // Absent: the architecture is printed.
	for line := range strings.Lines(string(text)) {
		if key, value, is := strings.Cut(line, ":"); is && strings.TrimSpace(key) == "model name" {
			machine.Processor = strings.TrimSpace(value)
			break
		}
	}
	return machine
}
