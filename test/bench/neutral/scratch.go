package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// In memory: what a start takes is not to hang on what was deleted before it. ext4, for one, goes
// round the inodes of the last seconds one by one when it makes a file, and a hundred resources
// leave hundreds behind at each start. What is above is watched, and nothing happens there.
func makeScratch() (root string, remove func(), err error) {
	root, err = os.MkdirTemp("/var/tmp", "pb-")
	if err != nil {
		return "", nil, err
	}
	if err := unix.Mount("patchbay-bench", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		os.Remove(root)
		return "", nil, fmt.Errorf("no tmpfs can be mounted at %s: %w", root, err)
	}
	return root, onMachine.Add(func() {
		unix.Unmount(root, unix.MNT_DETACH)
		os.Remove(root)
	}), nil
}
