package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPU time of a process so far, of all its current and ended threads, in nanoseconds.
// /proc/PID/stat has only ticks.
func cpuOf(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED; see clock_getcpuclockid(3).
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &used); err != nil {
		return 0, fmt.Errorf("the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// How often threads of the process have slept so far, and so were or will be woken.
func sleepsOf(pid int) (map[string]int, error) {
	sleeps := map[string]int{}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		return nil, err
	}
	for _, path := range threads {
		count, err := numberIn(path, "voluntary_ctxt_switches")
		if err == nil { // A thread may have ended.
			sleeps[filepath.Base(filepath.Dir(path))] = count
		}
	}
	return sleeps, nil
}

// The number of sleeps between the two.
func sleepsBetween(before, after map[string]int) int {
	sum := 0
	for thread, count := range after {
		sum += count - before[thread]
	}
	return sum
}

// Memory of a process in bytes: all resident memory, and the part of it without a file.
func memoryOf(pid int) (resident, anonymous int, err error) {
	path := fmt.Sprintf("/proc/%d/smaps_rollup", pid)
	if resident, err = numberIn(path, "Rss"); err != nil {
		return 0, 0, err
	}
	anonymous, err = numberIn(path, "Anonymous")
	return resident * 1024, anonymous * 1024, err
}

// The number after "name:" in a file of /proc.
func numberIn(path, name string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if rest, is := strings.CutPrefix(lines.Text(), name+":"); is {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}
