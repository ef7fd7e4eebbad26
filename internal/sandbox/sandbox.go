// Package sandbox confines commands with Landlock, a part of the Linux kernel: they reach
// the files that Rules name, the files of the system, and nothing else. A command is confined by a
// launcher, which is chibi itself: it confines itself and then becomes the command, so that
// everything that the command starts is confined too.
//
// It promises that no command runs unconfined: where the kernel cannot keep this promise, or
// chibi's own files would be within reach, there is an error instead.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin/process"
)

// Name is the name of the sandbox in the configuration.
const Name = "landlock"

// Launch is the first argument of chibi as a launcher.
const Launch = "__sandbox"

// Rules say which files a command may use, besides the files of the system. All paths are
// absolute, and [Rules.Pinned] for who confines a command.
type Rules struct {
	// Writable are directories in which it may read, write and run files; Readable are directories and
	// files that it may read and run. A missing one does not count.
	Writable []string `json:"write"`
	Readable []string `json:"read"`
	// Private are directories that it must not reach.
	Private []string `json:"private"`
}

// Check returns why no command can be confined by the rules, nil if one can.
func (r Rules) Check() error {
	if err := supported(); err != nil {
		return err
	}
	for _, private := range r.Private {
		for _, open := range slices.Concat(r.Writable, r.Readable, system()) {
			if disk.IsBelow(permissions.Real(open), permissions.Real(private)) {
				return fmt.Errorf("%s, which the sandbox must keep closed, is in %s, which it opens; move one of them", private,
					open)
			}
		}
	}
	return nil
}

// Reach reports whether a confined command may read a file or directory.
func (r Rules) Reach(path string) bool {
	return slices.ContainsFunc(slices.Concat(r.Writable, r.Readable, system()), func(open string) bool {
		return disk.IsBelow(permissions.Real(open), permissions.Real(path))
	})
}

type confinement struct {
	Rules
	// Supervised says that the launcher inherits a socket to the supervisor, as supervisorFile.
	Supervised bool `json:"supervised"`
}

const supervisorFile = 3

// Confined returns a command that runs another one confined, and supervised if that can be. launcher is the
// executable of chibi, which inherits c.Files of its own. Errors are as in Check.
func (r Rules) Confined(launcher string, c process.Command) (process.Command, error) {
	if err := r.Check(); err != nil {
		return c, err
	}
	told := confinement{Rules: r, Supervised: unable() == nil}
	if told.Supervised {
		socket, err := r.supervise()
		if err != nil {
			return c, err
		}
		c.Files = []*os.File{socket}
	}
	rules, err := strictjson.Encode(told)
	if err != nil {
		return c, err
	}
	c.Args = append([]string{Launch, string(rules), c.Path}, c.Args...)
	c.Path = launcher
	return c, nil
}

// Enter confines this process by the rules in the first argument, and becomes the
// command in the others. It returns only errors; nothing has run then.
func Enter(args []string) error {
	var r confinement
	if len(args) < 2 {
		return errors.New("want rules and a command")
	}
	if err := strictjson.DecodeKnown([]byte(args[0]), &r); err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return err
	}
	return r.become(args[1:])
}

// Pinned returns the rules with paths that no confined command leads elsewhere: they are real ones, for all
// commands of a session. A link that such a command could change is an error, since the next session would
// follow it.
func (r Rules) Pinned() (Rules, error) {
	var links []string
	pin := func(paths []string) (list []string) {
		for _, path := range paths {
			real, followed := permissions.Follow(path)
			list, links = append(list, real), append(links, followed...)
		}
		return list
	}
	r.Writable, r.Readable = pin(r.Writable), pin(r.Readable)
	for _, link := range links {
		for _, open := range r.Writable {
			if disk.IsBelow(open, link) {
				return r, fmt.Errorf("%s, which is in the path of what the sandbox opens, is a link that commands "+
					"can change; in the configuration, name what it leads to instead", link)
			}
		}
	}
	return r, nil
}

// isInside reports whether a path is in a directory that is open for writing, which needs no rule: commands
// can move it and put a link in its place.
func (r Rules) isInside(path string) bool {
	return slices.ContainsFunc(r.Writable, func(open string) bool { return open != path && disk.IsBelow(open, path) })
}
