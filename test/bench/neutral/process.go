package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The fixed path of many plugins.
const kubeletPath = "/var/lib/kubelet/device-plugins"

// The first argument that makes this program a contestant.
const insideCommand = "inside"

// Process is a contestant's process in its own mount namespace. The kubelet's directory has the
// same path as on a node.
type Process struct {
	command   *exec.Cmd
	namespace *os.File // Locked until the process has ended, because unmounting takes long.
	said      *tail
	Started   time.Time // Immediately before exec(2).

	ended   chan struct{}
	endedAt time.Time // Valid after `ended`.
	undo    func()    // Kills it, unless it has ended.
}

// Place is the environment of a contestant's process.
type Place struct {
	Directory   string // The kubelet's directory.
	MemoryLimit int    // In bytes; 0: none.
}

// Start runs the command. The namespace is complete before Started.
func Start(words []string, place Place) (_ *Process, err error) {
	group, err := newMemoryGroup(place.MemoryLimit)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			group.remove()
		}
	}()
	release, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer release.Close()
	defer hold.Close()
	readiness, ready, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer readiness.Close()
	defer ready.Close()
	command := exec.Command("/proc/self/exe",
		append([]string{insideCommand, place.Directory, group.path}, words...)...)
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true,
	}
	command.ExtraFiles = []*os.File{release, ready}
	// Its children may have its output open, and cannot be ended.
	command.WaitDelay = time.Second
	process := &Process{command: command, said: &tail{}, ended: make(chan struct{})}
	command.Stdout = process.said
	command.Stderr = process.said
	if err := command.Start(); err != nil {
		return nil, err
	}
	ready.Close()
	answer := make([]byte, 1)
	if _, err := readiness.Read(answer); err != nil {
		command.Wait()
		return nil, fmt.Errorf("%s: start failed: %s", words[0], process.said)
	}
	process.namespace, err = os.Open(fmt.Sprintf("/proc/%d/ns/mnt", command.Process.Pid))
	if err != nil {
		command.Process.Kill()
		command.Wait()
		return nil, err
	}
	process.Started = time.Now()
	if _, err := hold.Write(answer); err != nil {
		command.Process.Kill()
		command.Wait()
		process.namespace.Close()
		return nil, err
	}
	go func() {
		var status unix.Siginfo
		for { // Leaves it for Wait(), which also waits for its output.
			err := unix.Waitid(unix.P_PID, command.Process.Pid, &status,
				unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		process.endedAt = time.Now()
		process.killGroup() // It is not reaped before Wait().
		command.Wait()
		process.namespace.Close()
		group.remove()
		close(process.ended)
	}()
	process.undo = onMachine.Add(process.end)
	return process, nil
}

func (p *Process) Pid() int { return p.command.Process.Pid }

// Stop ends it with SIGTERM, as the kubelet ends a Pod's first process. Returns the time that this
// took. Then kills its remaining children.
func (p *Process) Stop(patience time.Duration) (time.Duration, error) {
	begin := time.Now()
	p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		p.undo()
		return p.endedAt.Sub(begin), nil
	case <-time.After(patience):
		p.Kill()
		return 0, fmt.Errorf("no exit within %s of SIGTERM", patience)
	}
}

func (p *Process) Kill() { p.undo() }

func (p *Process) end() {
	if !p.HasEnded() {
		p.killGroup()
	}
	<-p.ended
}

func (p *Process) killGroup() { unix.Kill(-p.Pid(), unix.SIGKILL) }

// HasEnded returns whether it has ended.
func (p *Process) HasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// State describes how it runs or how it ended, and its last output.
func (p *Process) State() (how, said string) {
	if p.HasEnded() {
		return "it has ended: " + p.command.ProcessState.String(), p.said.String()
	}
	return "it runs", p.said.String()
}

// Does not return if Start() runs this program to become a contestant.
func becomeContestant() {
	if len(os.Args) > 2 && os.Args[1] == insideCommand {
		fmt.Fprintln(os.Stderr, inside(os.Args[2:]))
		os.Exit(1)
	}
}

// Becomes a contestant. The arguments are the kubelet's directory, a control group or "", and the
// command.
func inside(arguments []string) error {
	directory, group, words := arguments[0], arguments[1], arguments[2:]
	release, ready := os.NewFile(3, "release"), os.NewFile(4, "ready")
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private failed: %w", err)
	}
	if _, err := os.Stat(kubeletPath); err != nil {
		// Mounts are not visible on the machine itself.
		there := kubeletPath
		for ; !exists(filepath.Dir(there)); there = filepath.Dir(there) {
		}
		if err := unix.Mount("bench", filepath.Dir(there), "tmpfs", 0, ""); err != nil {
			return fmt.Errorf("%s: %w", filepath.Dir(there), err)
		}
		if err := os.MkdirAll(kubeletPath, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(directory, kubeletPath, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("%s: %w", kubeletPath, err)
	}
	if group != "" {
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0); err != nil {
			return err
		}
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	if _, err := ready.Write([]byte{0}); err != nil {
		return err
	}
	if _, err := release.Read(make([]byte, 1)); err != nil {
		if errors.Is(err, io.EOF) {
			os.Exit(0)
		}
		return err
	}
	return unix.Exec(program, words, os.Environ())
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// The last output of a contestant, for diagnosis.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *tail) Write(text []byte) (int, error) {
	const kept = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(text)
	if excess := t.text.Len() - kept; excess > 0 {
		t.text.Next(excess)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.text.String())
}
