//go:build darwin || freebsd

package keeper

import "golang.org/x/sys/unix"

// peer returns the user at the other end of a socket.
func peer(fd int) (uid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, 0, unix.LOCAL_PEERCRED) // 0: SOL_LOCAL
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
