package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// In memory, so that earlier deletions do not affect a start. ext4, for example, checks the
// recently deleted inodes one by one when it creates a file, and a hundred resources leave hundreds
// at each start. The parent directories are watched, and nothing changes there.
func makeScratch() (root string, remove func(), err error) {
	root, err = os.MkdirTemp("/var/tmp", "pb-")
	if err != nil {
		return "", nil, err
	}
	if err := unix.Mount("patchbay-bench", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		os.Remove(root)
		return "", nil, fmt.Errorf("mounting a tmpfs at %s failed: %w", root, err)
	}
	return root, onMachine.Add(func() {
		unix.Unmount(root, unix.MNT_DETACH)
		os.Remove(root)
	}), nil
}
