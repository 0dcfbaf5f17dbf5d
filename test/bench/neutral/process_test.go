package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	becomeContestant()
	os.Exit(m.Run())
}

// A script that prints the id of a process that it started.
func startScript(t *testing.T, script string) (process *Process, other string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounts can be made by root only")
	}
	process, err := Start([]string{"sh", "-c", script}, Place{Directory: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	said := func() []string {
		_, text := process.State()
		return strings.Fields(text)
	}
	if !waitUntil(func() bool { return len(said()) > 0 }) {
		process.Kill()
		t.Fatal("it says nothing")
	}
	return process, said()[0]
}

func isGone(pid string) bool {
	return waitUntil(func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

func TestWhatAContestantStartedEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(*Process) error{
		"SIGTERM": func(p *Process) error { _, err := p.Stop(patience); return err },
		"kill":    func(p *Process) error { p.Kill(); return nil },
		"signal":  func(*Process) error { onMachine.All(); onMachine = undoList{}; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			process, other := startScript(t, "sleep 1000 & echo $!; wait")
			if err := end(process); err != nil {
				t.Error(err)
			}
			if !process.HasEnded() || !isGone(other) {
				t.Errorf("process %s is left", other)
			}
		})
	}
}

func TestWhoHoldsTheOutputOfAContestantIsNotWaitedFor(t *testing.T) {
	process, other := startScript(t, "setsid sh -c 'echo $$; exec sleep 1000' & wait")
	if _, err := process.Stop(patience); err != nil {
		t.Error(err)
	}
	var pid int
	fmt.Sscan(other, &pid)
	left, err := os.FindProcess(pid) // It has left the group and is not tracked.
	if err != nil || left.Kill() != nil {
		t.Errorf("process %s was to be left: %v", other, err)
	}
}
