package main

import (
	"slices"
	"testing"
)

func TestWhatIsLeftIsUndoneOnceAndTheLastFirst(t *testing.T) {
	var list undoList
	var undone []string
	undoes := func(name string) func() { return func() { undone = append(undone, name) } }
	list.Add(undoes("mount"))
	now := list.Add(undoes("group"))
	list.Add(undoes("process"))
	now()
	now()
	list.All()
	list.All()
	if want := []string{"group", "process", "mount"}; !slices.Equal(undone, want) {
		t.Errorf("undone is %q, not %q", undone, want)
	}
}
