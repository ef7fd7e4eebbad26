package disk

import (
	"encoding/binary"
	"strings"

	"golang.org/x/sys/unix"
)

// Entries lists the names, which are parts of one text for each piece that the kernel
// returns: a directory costs few allocations.
func (f folder) Entries(most int) (list []Entry, isAll bool, err error) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := unix.ReadDirent(f.fd, buffer)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return list, err == nil, err
		}
		list = f.add(list, string(buffer[:n]))
		if len(list) > most {
			return list[:most], false, nil
		}
	}
}

// The layout of an entry: the length of the whole, its type, and its name with a zero at
// the end.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func (f folder) add(list []Entry, piece string) []Entry {
	for len(piece) > direntName {
		length := int(binary.NativeEndian.Uint16([]byte(piece[direntLength:direntType])))
		if length <= direntName || length > len(piece) {
			return list
		}
		name := piece[direntName:length]
		name, _, _ = strings.Cut(name, "\x00")
		if name != "." && name != ".." && name != "" {
			list = append(list, Entry{name, f.kind(name, piece[direntType])})
		}
		piece = piece[length:]
	}
	return list
}

// kind returns what an entry is; not all file systems say it. The types are those of a mode.
func (f folder) kind(name string, as byte) Kind {
	switch as {
	case unix.DT_REG:
		return KindFile
	case unix.DT_DIR:
		return KindFolder
	case unix.DT_LNK:
		return KindLink
	case unix.DT_UNKNOWN:
		var stat unix.Stat_t
		if unix.Fstatat(f.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
			return KindOther
		}
		if as = byte(stat.Mode & unix.S_IFMT >> 12); as != unix.DT_UNKNOWN {
			return f.kind(name, as)
		}
	}
	return KindOther
}
