package bridge

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Added lists the settings files into which a home has added entries, and its commands for agents.
func Added(home string) ([]string, error) {
	all, err := receiptsOf(home)
	return slices.Sorted(maps.Keys(all)), err
}

// receiptsOf reads the receipts of a home.
func receiptsOf(home string) (receipts, error) { return jsonfile.Read[receipts](receiptsFile(home)) }

// try notes a file that e would change, and says why it could not.
func (e editing) try(done *Done, path string) error {
	all, err := receiptsOf(e.Home)
	if err != nil {
		return err
	}
	text, err := readSettings(path)
	if err != nil {
		return err
	}
	after, _, err := e.apply(text, all[path])
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(text, after) {
		return nil
	}
	done.Files = append(done.Files, path)
	file, err := settingsFile(path)
	if err != nil {
		return err
	}
	if dir := filepath.Dir(file); !disk.IsWritable(dir) {
		return fmt.Errorf("you have no permission to change files in %s", dir)
	}
	return nil
}

// tryServer notes the command by which e would remove the MCP server from the agent.
func (e editing) tryServer(done *Done, place engine.ServerPlace) error {
	all, err := receiptsOf(e.Home)
	if _, wasTold := all[strings.Join(place.Add, " ")]; wasTold && !e.adds {
		done.Ran = append(done.Ran, strings.Join(place.Remove, " "))
	}
	return err
}
