package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// A control group with a memory limit for one contestant.
type memoryGroup struct {
	path string // "" if there is no limit.
	undo func()
}

var memoryGroups atomic.Int64

// Version 1 or 2, as on the machine.
func newMemoryGroup(limit int) (memoryGroup, error) {
	if limit == 0 {
		return memoryGroup{}, nil
	}
	parent, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	if !exists(parent) {
		parent, file = "/sys/fs/cgroup", "memory.max"
	}
	group := memoryGroup{path: filepath.Join(parent, fmt.Sprintf("bench-%d-%d", os.Getpid(), memoryGroups.Add(1)))}
	if err := os.Mkdir(group.path, 0o755); err != nil {
		return memoryGroup{}, err
	}
	group.undo = onMachine.Add(group.takeAway)
	// Not os.WriteFile: without this file, the controller does not exist.
	if err := writeOnce(filepath.Join(group.path, file), strconv.Itoa(limit)); err != nil {
		group.remove()
		return memoryGroup{}, fmt.Errorf("%s: setting the memory limit failed: %w", group.path, err)
	}
	return group, nil
}

// Call after all its processes have ended.
func (g memoryGroup) remove() {
	if g.path != "" {
		g.undo()
	}
}

func (g memoryGroup) takeAway() {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if os.Remove(g.path) == nil {
			return
		}
	}
}
