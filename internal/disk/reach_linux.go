package disk

import "golang.org/x/sys/unix"

// searchOnly opens a directory that may be entered, but perhaps not be read.
const searchOnly = unix.O_PATH
