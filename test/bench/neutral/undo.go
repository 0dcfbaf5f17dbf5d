package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Actions that must run at every end of this program, last first: mounts, processes, devices.
type undoList struct {
	mu     sync.Mutex
	undos  []*undo
	ending bool
}

type undo struct {
	once sync.Once
	what func()
}

var onMachine undoList

// Add registers an action for the end, unless `now` was called before. It runs once.
func (l *undoList) Add(what func()) (now func()) {
	added := &undo{what: what}
	l.mu.Lock()
	ending := l.ending
	if !ending {
		l.undos = append(l.undos, added)
	}
	l.mu.Unlock()
	if ending {
		what()
		select {} // The program ends from another goroutine, so nothing more may start.
	}
	return func() {
		added.once.Do(added.what)
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, one := range l.undos {
			if one == added {
				l.undos = append(l.undos[:i], l.undos[i+1:]...)
				break
			}
		}
	}
}

// All runs the remaining actions.
func (l *undoList) All() {
	for {
		l.mu.Lock()
		l.ending = true
		if len(l.undos) == 0 {
			l.mu.Unlock()
			return
		}
		last := l.undos[len(l.undos)-1]
		l.undos = l.undos[:len(l.undos)-1]
		l.mu.Unlock()
		last.once.Do(last.what)
	}
}

// Ctrl-C, or a closed terminal. A closed pipe is reported to the writer as an error; as a signal it
// would also occur for contestants' sockets.
func undoAllOnSignals() {
	signal.Ignore(syscall.SIGPIPE)
	received := make(chan os.Signal, 1)
	for _, one := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(one) {
			signal.Notify(received, one)
		}
	}
	go func() {
		which := <-received
		endBy(which.(syscall.Signal))
	}()
}

// Ends the program with the exit code of a shell for the signal.
func endBy(which syscall.Signal) {
	onMachine.All()
	os.Exit(128 + int(which))
}
