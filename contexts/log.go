package contexts

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
)

// Log appends a record to a file of the context that people read to find out
// what happened, such as requests.jsonl.
func (c *Context) Log(name string, record any) error {
	data, err := json.Marshal(record)
	if err == nil {
		err = disk.MkdirAll(c.store.fs, c.folder(), 0o700)
	}
	if err == nil {
		err = c.appendTo(filepath.Join(c.folder(), name), [][]byte{data})
	}
	if err != nil {
		return fmt.Errorf("writing %s of context %q: %w", name, c.name, err)
	}
	return nil
}
