package installed

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin/native"
)

// Dir is the plugins directory of a home.
type Dir struct {
	// Path is its path.
	Path string
	// Home is the home, which has the list of installed plugins.
	Home string
	// Report receives a message about a damaged list.
	Report func(text string)
}

const disabled = native.DisabledSuffix

// File returns the path of the named plugin.
func (d Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Stat describes a plugin's entry, which may be a broken link.
func (d Dir) Stat(name string) (fs.FileInfo, error) {
	if !isFileName(name) {
		return nil, fs.ErrNotExist
	}
	return os.Lstat(d.File(name))
}

func isFileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

// Has reports whether there is a plugin of this name.
func (d Dir) Has(name string) bool {
	_, err := d.Stat(name)
	return err == nil
}

// HasDisabled reports whether there is a disabled plugin of this name.
func (d Dir) HasDisabled(name string) bool { return isFileName(name) && d.Has(name+disabled) }

// Enable enables a disabled plugin by renaming it.
func (d Dir) Enable(name string) error {
	if err := disk.Move(disk.OS{}, d.File(name+disabled), d.File(name)); err != nil {
		return fmt.Errorf("enabling the plugin: %w", err)
	}
	return nil
}

// Free returns an error if there is a plugin of this name.
func (d Dir) Free(name string) error {
	if disk.IsTaken(d.File(name)) {
		return fmt.Errorf("there is a plugin %s already; remove it first: chibi plugin remove %s", d.File(name), name)
	}
	return nil
}

// Copy copies a plugin into the directory, and records it.
func (d Dir) Copy(s Source) error {
	return d.install(s, Plugin{}, func(temp string) error { return disk.CopyTree(s.Path, temp) })
}

// Link links to a plugin from the directory, and records it.
func (d Dir) Link(s Source) error {
	return d.install(s, Plugin{Link: true}, func(temp string) error { return os.Symlink(s.Path, temp) })
}

// install records a plugin and puts it into the directory: place creates it under a
// temporary name, and it is renamed when it is complete, so that a process that is killed
// does not leave a part of it.
func (d Dir) install(s Source, p Plugin, place func(temp string) error) (err error) {
	if err := disk.MkdirAll(disk.OS{}, d.Path, 0o700); err != nil {
		return fmt.Errorf("making the plugins directory: %w", err)
	}
	temp := disk.TempName(d.File(s.Name))
	defer disk.OS{}.RemoveAll(temp)
	if err := place(temp); err != nil {
		return fmt.Errorf("copying the plugin: %w", err)
	}
	if p.SHA256, err = Hash(temp); err != nil {
		return fmt.Errorf("reading the plugin: %w", err)
	}
	if p.Source = s.given; !IsAddress(s.given) {
		if p.Source, err = filepath.Abs(s.given); err != nil {
			return err
		}
	}
	p.At = time.Now().UTC().Truncate(time.Second)
	err = Change(d.Home, d.Report, func(list List) error {
		if err := d.Free(s.Name); err != nil {
			return err
		}
		list[s.Name] = p
		return disk.Move(disk.OS{}, temp, d.File(s.Name))
	})
	if err != nil {
		return fmt.Errorf("installing the plugin: %w", err)
	}
	return nil
}

// Remove deletes a plugin's file, directory or link. It is renamed first, so that a
// process that is killed does not leave a part of it.
func (d Dir) Remove(name string) error {
	away := disk.TempName(d.File(name))
	if err := disk.Move(disk.OS{}, d.File(name), away); err != nil {
		return fmt.Errorf("deleting the plugin: %w", err)
	}
	if err := (disk.OS{}).RemoveAll(away); err != nil {
		return fmt.Errorf("deleting the plugin: %w", err)
	}
	return nil
}

// Forget removes a plugin from the list.
func (d Dir) Forget(name string) error {
	err := Change(d.Home, d.Report, func(list List) error {
		delete(list, name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("forgetting the plugin: %w", err)
	}
	return nil
}
