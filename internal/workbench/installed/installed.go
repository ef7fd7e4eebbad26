// Package installed installs plugins: it fetches them, copies them into the plugins
// directory of a home or links to them, and records where they came from and the hash of
// their files, so that changes can be detected.
package installed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Plugin is one installed plugin.
type Plugin struct {
	// Source is where it was installed from: a path or an address.
	Source string `json:"source"`
	// Link says that it is a link to the source.
	Link bool `json:"link,omitempty"`
	// SHA256 is the hash of its files at that time.
	SHA256 string `json:"sha256"`
	// At is when it was installed.
	At time.Time `json:"at"`
}

// Changed reports whether the files at a path are not as they were.
func (p Plugin) Changed(path string) bool {
	hash, err := Hash(path)
	return err == nil && hash != p.SHA256
}

// List maps plugin names to installed plugins.
type List map[string]Plugin

// Read reads the list of a home; a missing one is empty.
func Read(home string) (List, error) {
	list, err := jsonfile.Read[List](file(home))
	if err != nil {
		return nil, fmt.Errorf("reading the list of installed plugins: %w", err)
	}
	return list, nil
}

// Change changes the list of a home under its lock. A damaged list is renamed, reported
// and replaced.
func Change(home string, report func(text string), change func(List) error) error {
	f := file(home)
	f.Report = report
	return jsonfile.Update(f, func(list *List) error {
		if *list == nil {
			*list = List{}
		}
		return change(*list)
	})
}

func file(home string) jsonfile.File {
	return jsonfile.File{Path: filepath.Join(home, "installed.json")}
}

// Hash returns the hash of a plugin's files: their names, modes and contents. Hidden
// files, such as build results, are ignored.
func Hash(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = filepath.WalkDir(real, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file != real && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return add(sum, real, file)
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

func add(sum io.Writer, root, file string) error {
	f, err := disk.OpenRegular(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%q %s %d\n", name, info.Mode().Perm(), info.Size())
	_, err = io.Copy(sum, f)
	return err
}
