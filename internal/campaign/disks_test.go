//go:build linux

package campaign

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// attackByFilling gives a run a disk of its own with little or no space, or few or no
// inodes. The run may fail if it reports that; when there is space again, everything that
// was there or was acknowledged is there.
func attackByFilling(a *attempt) {
	r := runs()[a.number%len(runs())]
	t := killed.get(a, r)
	t.home.attempt = a
	h := t.home.copy("home")
	unmount := h.onSmallDisk()
	if unmount == nil {
		a.skip("a disk of its own cannot be mounted here; run as root")
		return
	}
	defer unmount()
	how := h.fill()
	a.Tried++
	o := h.run(r.args...)
	if o.hung {
		a.found(hung, "%s on a disk with %s", r.name, how)
	}
	if o.code != 0 && !strings.Contains(o.errs, "no space left") && !strings.Contains(o.errs, "disk") {
		a.found(broken, "%s on a disk with %s: the error does not say it: exit status %d: %s", r.name, how, o.code, o.errs)
	}
	os.RemoveAll(h.at("filling"))
	h.isWhole(fmt.Sprintf("%s on a disk with %s", r.name, how), func() error {
		// What the model was told is acknowledged to nobody.
		if o.code == 0 && !strings.Contains(o.out+o.errs, "no space left") {
			return r.done(h)
		}
		return nil
	})
}

// onSmallDisk moves a home to a small disk that is mounted over it.
func (h home) onSmallDisk() (unmount func()) {
	files := h.path + "-files"
	h.must(os.Rename(h.path, files))
	h.must(os.Mkdir(h.path, 0o755))
	if syscall.Mount("tmpfs", h.path, "tmpfs", 0, "size=8m,nr_inodes=400") != nil {
		return nil
	}
	h.must(os.CopyFS(h.path, os.DirFS(files)))
	return func() { syscall.Unmount(h.path, syscall.MNT_DETACH) }
}

// fill leaves a few pages or a few inodes on the disk.
func (h home) fill() string {
	h.must(os.MkdirAll(h.at("filling"), 0o755))
	n := h.rand.IntN(12)
	if h.rand.IntN(2) == 0 {
		var names []string
		for i := 0; ; i++ {
			name := h.at("filling", fmt.Sprint(i))
			f, err := os.Create(name)
			if err != nil {
				break
			}
			f.Close()
			names = append(names, name)
		}
		for i := range min(n, len(names)) {
			os.Remove(names[i])
		}
		return fmt.Sprintf("%d inodes", n)
	}
	f, err := os.Create(h.at("filling", "data"))
	h.must(err)
	defer f.Close()
	page := make([]byte, 4096)
	size := int64(0)
	for {
		wrote, err := f.Write(page)
		if size += int64(wrote); err != nil {
			break
		}
	}
	h.must(f.Truncate(max(0, size-int64(n)*4096)))
	return fmt.Sprintf("%d pages", n)
}
