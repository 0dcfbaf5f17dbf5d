package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// What must be undone however this program ends: mounts, processes, devices. The last first.
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

// Add has it done at the end, unless `now` was called before. It is done once.
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
		select {} // The program ends, from another goroutine; nothing more is to begin.
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

// All undoes what is left.
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

// Ctrl-C, a terminal that is closed. Of a reader who has gone, who writes is told: of contestants'
// sockets there would be a signal, too.
func undoAllOnSignals() {
	signal.Ignore(syscall.SIGPIPE)
	told := make(chan os.Signal, 1)
	for _, one := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(one) {
			signal.Notify(told, one)
		}
	}
	go func() {
		which := <-told
		endBy(which.(syscall.Signal))
	}()
}

// Ends the program as a shell tells of the signal.
func endBy(which syscall.Signal) {
	onMachine.All()
	os.Exit(128 + int(which))
}
