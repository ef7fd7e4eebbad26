package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// CheckOwn returns an error if a directory is a link or no directory, belongs to somebody else, or others
// may change it. One that is not there is no error. Windows has neither such owners nor such modes.
func CheckOwn(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory; remove it", dir)
	case !isOurs(info):
		return fmt.Errorf("%s belongs to another user; remove it", dir)
	case info.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("others may change %s; run: chmod 700 %s", dir, dir)
	}
	return nil
}
