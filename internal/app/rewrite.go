package app

import (
	"fmt"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// ConfigFile is a configuration file to change.
type ConfigFile struct {
	// Path is the file's path. The file need not exist; a link stays a link.
	Path string
	// What is the file's name in errors.
	What string
}

// Rewrite changes the text of the file while no other process can. An error of edit is
// returned as a [UsageError].
func (f ConfigFile) Rewrite(edit func(path string, data []byte) ([]byte, error)) error {
	var wrong error
	err := jsonfile.Rewrite(jsonfile.File{Path: f.Path, Max: config.MaxFileBytes}, func(data []byte) ([]byte, error) {
		data, wrong = edit(f.Path, data)
		return data, wrong
	})
	switch {
	case wrong != nil:
		return UsageError{Err: wrong}
	case err != nil:
		return fmt.Errorf("writing %s: %w", f.What, err)
	}
	return nil
}
