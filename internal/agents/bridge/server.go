package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/gjson"
)

// serverCommand is the program that serves the plugins' tools, with its arguments.
func (i Installer) serverCommand() (program string, args []string) {
	if home := i.namedHome(); home != "" {
		args = []string{"--home", home}
	}
	return cmp.Or(i.Chibi, "chibi"), append(args, "mcp", "serve", "--agent", i.Agent.Name)
}

// isOwnServer reports whether a server of a settings file is chibi with this home.
func (i Installer) isOwnServer(one gjson.Result) bool {
	var args []string
	for _, arg := range append(one.Get("command").Array(), one.Get("args").Array()...) {
		args = append(args, arg.Str)
	}
	at := slices.Index(args, "mcp")
	if at < 0 || at+1 >= len(args) || args[at+1] != "serve" {
		return false
	}
	home := i.DefaultHome
	if n := slices.Index(args, "--home"); n >= 0 && n+1 < at {
		home = args[n+1]
	}
	return filepath.Clean(home) == filepath.Clean(i.Home)
}

// addServer adds chibi to the servers of a file, unless there is a server with its name.
func (i Installer) addServer(doc *jsonedit.Doc) error {
	place, _ := i.Agent.Servers.In(i.Scope)
	if doc.Get(place.Root, ServerName).Exists() {
		return nil
	}
	program, args := i.serverCommand()
	return doc.Set(place.Server(program, args...), place.Root, ServerName)
}

// removeServer removes chibi from the servers of a file.
func (i Installer) removeServer(doc *jsonedit.Doc) {
	place, _ := i.Agent.Servers.In(i.Scope)
	if !i.isOwnServer(doc.Get(place.Root, ServerName)) {
		return
	}
	doc.Remove(place.Root, ServerName)
	if len(doc.Names(place.Root)) == 0 {
		doc.Remove(place.Root)
	}
}

// tellServer lets a program of the agent add or remove the server. It notes the command beside the receipts of
// files.
func (e editing) tellServer(done *Done, place engine.ServerPlace) error {
	if e.Trial {
		return e.tryServer(done, place)
	}
	return jsonfile.Update(receiptsFile(e.Home), func(all *receipts) error {
		told := strings.Join(place.Add, " ")
		was, wasTold := (*all)[told]
		if e.adds && !e.NoServer {
			program, args := e.serverCommand()
			t := telling{e.Installer, done, place.Remove, append(append(slices.Clone(place.Add), program), args...)}
			if sum := sumOf([]byte(t.command())); wasTold && was.Sum == sum && t.isThere() || t.again(wasTold) {
				all.keep(told, receipt{Sum: sum})
			}
		}
		if e.adds && !e.NoServer || !wasTold {
			return nil
		}
		if found, err := e.Run(place.Remove[0], place.Remove[1:]...); !found || err != nil {
			done.note("chibi could not remove the MCP server from %s; do it yourself: %s", e.Agent.Title,
				strings.Join(place.Remove, " "))
		} else {
			done.Ran = append(done.Ran, strings.Join(place.Remove, " "))
		}
		delete(*all, told)
		return nil
	})
}

// telling has the commands by which a program of the agent adds and removes the server.
type telling struct {
	Installer
	done        *Done
	remove, add []string
}

// command is the command line that adds the server.
func (t telling) command() string { return strings.Join(t.add, " ") }

// isThere reports whether the program refuses to add the server, as it already has one with this name.
func (t telling) isThere() bool {
	_, err := t.Run(t.add[0], t.add[1:]...)
	return err != nil && strings.Contains(err.Error(), "already exists")
}

// again lets the program add the server in place of the one that chibi added before, and reports whether it did.
func (t telling) again(wasTold bool) bool {
	if wasTold {
		_, _ = t.Run(t.remove[0], t.remove[1:]...) // somebody may have removed it
	}
	found, err := t.Run(t.add[0], t.add[1:]...)
	switch {
	case !found:
		t.done.note("%s is not in PATH, so chibi did not add the MCP server with the plugins' tools; do it yourself: %s",
			t.add[0], t.command())
	case err != nil:
		t.done.note("%s did not add the MCP server with the plugins' tools: %v; do it yourself: %s", t.Agent.Title,
			err, t.command())
	default:
		t.done.Ran = append(t.done.Ran, t.command())
	}
	return found && err == nil
}

// serverTable is the table of the server in a TOML file.
func (i Installer) serverTable(root string) string {
	program, args := i.serverCommand()
	var quoted []string
	for _, arg := range args {
		quoted = append(quoted, string(strictjson.Quote(arg)))
	}
	return "[" + root + "." + ServerName + "]\ncommand = " + string(strictjson.Quote(program)) + "\nargs = [" +
		strings.Join(quoted, ", ") + "]\n"
}

// withTable returns a TOML text with the server's table at its end, unless there is a server with its name.
func (e editing) withTable(text []byte) ([]byte, []jsonedit.Insert, error) {
	place, _ := e.Agent.Servers.In(e.Scope)
	all, err := readTOML(text)
	servers, _ := all[place.Root].(map[string]any)
	if err != nil || e.NoServer || servers[ServerName] != nil {
		return text, nil, err
	}
	table := e.serverTable(place.Root)
	if len(text) > 0 {
		table = "\n" + table
		if text[len(text)-1] != '\n' {
			table = "\n" + table
		}
	}
	after := append(slices.Clone(text), table...)
	if _, err := readTOML(after); err != nil {
		return nil, nil, err // such as servers in an inline table
	}
	return after, []jsonedit.Insert{{At: len(text), Length: len(table)}}, nil
}

// withoutTable returns a TOML text without the server's table, if its home is this home.
func (e editing) withoutTable(text []byte) ([]byte, error) {
	place, _ := e.Agent.Servers.In(e.Scope)
	all, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	servers, _ := all[place.Root].(map[string]any)
	own, err := strictjson.Encode(servers[ServerName])
	if err != nil || !e.isOwnServer(gjson.ParseBytes(own)) {
		return text, nil
	}
	name := place.Root + "." + ServerName
	after := cutTables(text, func(header string) bool {
		return strings.HasPrefix(header, "["+name+"]") || strings.HasPrefix(header, "["+name+".")
	})
	delete(servers, ServerName)
	if len(servers) == 0 {
		delete(all, place.Root)
	}
	left, err := readTOML(after)
	if len(servers) == 0 && err == nil {
		if rest, _ := left[place.Root].(map[string]any); len(rest) == 0 {
			delete(left, place.Root)
		}
	}
	if err != nil || !reflect.DeepEqual(all, left) {
		return nil, fmt.Errorf("chibi cannot tell the table [%s.%s] from the rest; take it out yourself", place.Root,
			ServerName)
	}
	return after, nil
}

// cutTables returns a TOML text without the tables whose headers are cut: each from its header to its last line
// that is not a comment, with the blank line before it. Comments behind it stay.
func cutTables(text []byte, isCut func(header string) bool) []byte {
	var kept, comments []string
	inTable := false
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			wasInTable := inTable
			inTable = isCut(trimmed)
			if inTable && !wasInTable && len(kept) > 0 && strings.TrimSpace(kept[len(kept)-1]) == "" {
				kept = kept[:len(kept)-1]
			}
		}
		switch {
		case !inTable:
			kept, comments = append(append(kept, comments...), line), nil
		case trimmed == "" || trimmed[0] == '#':
			comments = append(comments, line)
		default:
			comments = nil
		}
	}
	return []byte(strings.Join(append(kept, comments...), ""))
}

// readTOML reads a TOML text. Errors name the line.
func readTOML(text []byte) (all map[string]any, err error) {
	err = toml.Unmarshal(text, &all)
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return nil, fmt.Errorf("line %d: not TOML: %s", line, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return all, err
}
