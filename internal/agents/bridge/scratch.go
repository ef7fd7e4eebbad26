package bridge

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/drive"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// scratch is a copy of the hooks in an agent's settings, in directories of its own. Each hook in it notes that it
// runs; only entries of chibi do anything else. The copy has no other settings: nothing that identifies the person,
// and nothing that would run.
type scratch struct {
	Installer
	program string // the path of this program
	dir     string
	alone   drive.Alone
	files   map[string]copied // by their paths there
	from    []string          // the files that it looked for
	tried   []Tried
	known   map[string]int // the places in tried, by event and command
	notes   []string       // mistakes in the files
}

// copied is a settings file of the copy.
type copied struct {
	format string
	tree   map[string]any
}

// Tried is a hook of an agent's settings in the copy.
type Tried struct {
	// Agent is the agent of the settings. Another agent may read them too.
	Agent   string `json:"agent"`
	Event   string `json:"event"`
	File    string `json:"file"`
	Matcher string `json:"matcher,omitempty"`
	// Command is its command line, or its URL, prompt or type.
	Command string `json:"command"`
	// Own says that it is chibi's entry for this home. Runs says that the entry runs in the copy, and not only a
	// recorder.
	Own  bool `json:"own"`
	Runs bool `json:"runs"`
	// Must says that it fires in every session with a call. Fired is how often it did.
	Must  bool `json:"must_fire"`
	Fired int  `json:"fired"`
}

func (s *scratch) home() string    { return filepath.Join(s.dir, "home") }
func (s *scratch) project() string { return filepath.Join(s.dir, "project") }
func (s *scratch) chibi() string   { return filepath.Join(s.home(), ".chibi") }
func (s *scratch) fired() string   { return filepath.Join(s.dir, "fired") }

// copyAll copies all settings files that the agent reads: its own and other agents'.
func (s *scratch) copyAll() error {
	own := engine.Reading{Agent: s.Agent.Name,
		Scopes: []string{engine.ScopeSystem, engine.ScopeUser, engine.ScopeProject, engine.ScopeLocal}}
	for _, r := range append([]engine.Reading{own}, s.Agent.Reads...) {
		d, _ := agents.ByName(r.Agent)
		if err := s.copyOf(d, r.Scopes); err != nil {
			return err
		}
	}
	return nil
}

// copyOf copies the settings files of an agent.
func (s *scratch) copyOf(d engine.Dialect, scopes []string) error {
	look := foreign.Looker{Home: s.UserHome, Getenv: s.Getenv}
	for _, c := range append(look.Own(d), foreign.Project(d, []string{s.Project})...) {
		if !slices.Contains(scopes, c.Scope) || slices.Contains(s.from, c.Path) {
			continue
		}
		text, err := readSettings(c.Path)
		if err != nil {
			return err
		}
		if s.from = append(s.from, c.Path); text == nil {
			continue
		}
		for _, wrong := range foreign.Parse(d, c, text, 0).Problems {
			s.notes = append(s.notes, fmt.Sprintf("%s: %s; the copy is without this mistake", c.Path, wrong))
		}
		if err := s.copy(d, c, text); err != nil {
			return err
		}
	}
	return nil
}

// copy copies a settings file. It refuses hooks in a file of the organisation: the agent would run them from the
// file itself.
func (s *scratch) copy(d engine.Dialect, c foreign.Candidate, text []byte) error {
	if c.Scope == engine.ScopeSystem {
		if foreign.Parse(d, c, text, 0).SaysSomething() {
			return fmt.Errorf("%s has hooks of your organisation, which %s would run; chibi did not start it", c.Path, d.Title)
		}
		return nil
	}
	all, err := treeOf(text, c.Format)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	base := s.home()
	if c.Scope != engine.ScopeUser {
		base = s.project()
	}
	to := filepath.Join(base, filepath.FromSlash(path.Dir(c.Place.Path)), filepath.Base(c.Path))
	s.files[to] = copied{c.Format, hookCopy{s, d, c.ShapeOf(d.Shape), c.Path, c.Scope}.of(all)}
	return nil
}

// treeOf reads a settings file.
func treeOf(text []byte, format string) (map[string]any, error) {
	if format == "toml" {
		return readTOML(text)
	}
	if text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))); len(text) == 0 {
		return nil, nil
	}
	if format == "jsonc" {
		text = strictjson.WithoutComments(text)
	}
	value, err := strictjson.Value(text)
	all, isObject := value.(map[string]any)
	if err != nil || isObject {
		return all, err
	}
	return nil, fmt.Errorf("it is %s; want an object", strictjson.TypeOf(text))
}

// prepare writes the copy, with the settings for the run.
func (s *scratch) prepare(how drive.Agent) error {
	for name, text := range how.Settings {
		to, format := filepath.Join(s.home(), filepath.FromSlash(name)), strings.TrimPrefix(path.Ext(name), ".")
		all, err := treeOf([]byte(text), format)
		if err != nil {
			return err
		}
		if there, is := s.files[to]; is {
			format, all = there.format, merged(there.tree, all)
		}
		s.files[to] = copied{format, all}
	}
	for to, file := range s.files {
		write := strictjson.Encode
		if file.format == "toml" {
			write = toml.Marshal
		}
		text, err := write(file.tree)
		if err != nil {
			return err
		}
		if err := disk.WriteFile(to, text, 0o600); err != nil {
			return err
		}
	}
	return s.furnish()
}

// merged returns the members of both objects; of two values the second's.
func merged(one, other map[string]any) map[string]any {
	if one == nil {
		return other
	}
	for name, value := range other {
		inner, isObject := value.(map[string]any)
		if there, is := one[name].(map[string]any); is && isObject {
			one[name] = merged(there, inner)
		} else {
			one[name] = value
		}
	}
	return one
}

// guard is the plugin of the copy's home: it denies one of the two calls.
const guard = `#!/bin/sh
if [ "$1" = --schema ]; then
  echo '{"name": "verify-guard", "tool": false, "hooks": ["pre_shell_exec"], "guards": ["pre_shell_exec"]}'
elif [ "$CHIBI_HOOK" = pre_shell_exec ]; then
  case $(cat) in *` + deniedFile + `*) echo '{"denied": true, "reason": "` + deniedReason + `"}' ;; esac
fi
`

// The files that the two calls write, and the reason for the model why the second was denied.
const (
	allowedFile  = "verify-allowed.txt"
	deniedFile   = "verify-denied.txt"
	deniedReason = "chibi bridge verify denies this call, to see whether that holds"
)

// furnish writes a home of chibi with the guard, and a repository.
func (s *scratch) furnish() error {
	for _, dir := range []string{s.home(), s.project(), filepath.Join(s.dir, "tmp"),
		filepath.Join(s.project(), ".git", "objects"), filepath.Join(s.project(), ".git", "refs")} {
		if err := disk.MkdirAll(disk.OS{}, dir, 0o700); err != nil {
			return err
		}
	}
	head := filepath.Join(s.project(), ".git", "HEAD")
	if err := disk.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(s.chibi(), "plugins", "verify-guard"), []byte(guard), 0o700)
}

// env is the whole environment of the agent. It has none of the person's variables that may be secret.
func (s *scratch) env(how drive.Agent, isAlone bool) []string {
	env := []string{"HOME=" + s.home(), "TMPDIR=" + filepath.Join(s.dir, "tmp"), "TERM=dumb"}
	for _, name := range []string{"PATH", "SHELL", "USER", "LOGNAME", "LANG", "LC_ALL"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if !isAlone {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			env = append(env, name+"=http://127.0.0.1:9")
		}
		env = append(env, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	}
	return append(env, how.Env...)
}
