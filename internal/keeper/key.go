package keeper

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/plugin/process"
)

// Key is what a process depends on: it is lent only to a run of which everything here is the
// same. Two values are compared with ==.
type Key struct {
	// Path is the executable, with links resolved, and File its identity.
	Path string    `json:"path"`
	File fileid.ID `json:"file"`
	// Folder is the directory whose contents belong to the executable, Contents their
	// identity; "": none.
	Folder   string        `json:"folder"`
	Contents fileid.Folder `json:"contents"`
	// Dir is the working directory, Device and Inode which one: a later one may have its path.
	Dir    string `json:"dir"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
	// Variables is a hash of the environment variables that it depends on, the home among
	// them.
	Variables string `json:"variables"`
}

func (k *Key) here() (err error) {
	if k.Dir, err = os.Getwd(); err != nil {
		return err
	}
	id, err := fileid.Stat(k.Dir)
	k.Device, k.Inode = id.Dev, id.Ino
	return err
}

func (k *Key) identify() (err error) {
	if k.File, err = fileid.Stat(k.Path); err == nil && k.Folder != "" {
		k.Contents, err = fileid.Contents(k.Folder)
	}
	return err
}

func (k Key) isCurrent() bool {
	now := k
	return now.identify() == nil && now == k
}

// isSettled reports whether the files had not just changed at a time.
func (k Key) isSettled(at time.Time) bool {
	return k.File.Settled(at) && (k.Folder == "" || k.Contents.Settled(at))
}

// always are the variables that belong to a key whatever a plugin lists: another home is
// another world, with another depth a plugin could start chibi for ever, and what a command of the
// model tries out is held by its mark.
const always = "CHIBI_HOME CHIBI_DEPTH CHIBI_WITHIN"

// unrelated are the variables that do not belong to a key unless a plugin lists them,
// because they vary from run to run and from terminal to terminal: the working directory is
// in the key itself, the context and -v are in each request. docs/PROTOCOL.md lists them.
const unrelated = "PWD OLDPWD SHLVL _ CHIBI_CONTEXT CHIBI_VERBOSE CHIBI_BRIDGED COLUMNS LINES WINDOWID " +
	"TERM_SESSION_ID ITERM_SESSION_ID SHELL_SESSION_ID WT_SESSION KITTY_WINDOW_ID GNOME_TERMINAL_SCREEN TMUX_PANE " +
	"XDG_SESSION_ID SSH_CLIENT SSH_CONNECTION SSH_TTY"

// perCall are the variables that a kept process does not get: they are about one run.
const perCall = "CHIBI_CONTEXT CHIBI_VERBOSE CHIBI_BRIDGED"

func nameOf(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return name
}

// hash returns a hash of the variables of an environment that a process depends on: those
// listed, or if listed is nil, all but the unrelated ones; and those in secrets, which hold a
// key that may be hidden from it.
func hash(env, listed, secrets []string) string {
	var related []string
	varying, more := strings.Fields(unrelated), append(strings.Fields(always), secrets...)
	for _, pair := range env {
		name := nameOf(pair)
		isRelated := listed == nil && !slices.Contains(varying, name) || slices.Contains(listed, name)
		if isRelated || slices.Contains(more, name) {
			related = append(related, pair)
		}
	}
	slices.Sort(related)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(related, "\x00"))))
}

func withoutPerCall(env []string) []string {
	names := strings.Fields(perCall)
	return slices.DeleteFunc(env, func(pair string) bool { return slices.Contains(names, nameOf(pair)) })
}

func program() (path string, id fileid.ID, err error) {
	if path, err = os.Executable(); err != nil {
		return "", id, err
	}
	if id, err = fileid.Stat(path); err != nil {
		return "", id, fmt.Errorf("this program is not at %s any more: %w", path, err)
	}
	return path, id, nil
}

// detach starts this program in the background. An env of nil means the environment of this process.
func detach(env []string, dir string, args []string) error {
	path, _, err := program()
	if err != nil {
		return err
	}
	return process.Runner{Env: env}.Detach(process.Command{Path: path, Dir: dir, Args: args})
}
