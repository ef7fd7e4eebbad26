// Package commandline finds what a shell would do with a command line, without running it:
// the simple commands, also those that other commands run (sh -c, env, xargs, find -exec),
// and the files that redirections open.
//
// It promises that a command which the shell may run is either found, or that the result
// says that something may run which is only known later: of a command by [Command.Opaque],
// of the line by [Line.Hidden], or by an error. The line is read as a POSIX shell reads it
// and as bash does, because sh can be either.
package commandline

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of a line that is examined; beyond them it counts as one that cannot be parsed.
const (
	MaxBytes    = 128 << 10 // of the line
	MaxCommands = 500       // simple commands, those inside others included
	MaxDepth    = 8         // lines inside lines, as in sh -c "sh -c ..."
	maxNesting  = 500       // brackets in each other
	maxPipes    = 4000      // characters |, each of which is a level for the parser
)

// Line is what a shell would do with a command line.
type Line struct {
	// Commands are the simple commands, in the order of the line.
	Commands []Command
	// Writes and Reads are the files that redirections open.
	Writes, Reads []Word
	// Input says that a command reads a here-document.
	Input bool
	// Moves are the directories that the line changes to. Lost says that it changes to one
	// that is only known when it runs, Physical that it may take links for what they lead to.
	Moves          []Word
	Lost, Physical bool
	// Hidden says why other commands than those listed may run; "" if none can. Misread says
	// that shells may read the line without the listed commands and files.
	Hidden  string
	Misread bool
}

// Command is a simple command.
type Command struct {
	// Assigns are the variables that are set before it, or by it if it has no words.
	Assigns []Assign
	// Sets are the variables that it sets when it runs, as export does.
	Sets []Assign
	// Words are its name and arguments.
	Words []Word
	// Forms are other spellings of the same command: without the directory of its name,
	// without what stands between git and its subcommand.
	Forms [][]Word
	// Guesses are spellings that may mean the same: without options before a subcommand.
	Guesses [][]Word
	// Opaque says why it may run commands that are only known when it runs; "" if it does not.
	Opaque string
	// Inner are the commands that it runs.
	Inner []Command
	// Transparent says that it does nothing but run Inner.
	Transparent bool
	// Fed says that Inner comes from a here-document, not from its words.
	Fed bool
	// Runs says that it is a command that runs others, whether Inner has them or not.
	Runs bool
}

type examination struct {
	count  int               // how many commands were found
	seen   map[string]result // the lines inside it that were examined
	parser *syntax.Parser    // one for all of them, as making one costs as much as a short line
}

type result struct {
	Line
	err error
}

// finder collects what commands of a line run.
type finder struct {
	Line
	*examination
	depth  int // how many command lines this one is in
	nested int // how many commands run the one that is examined
	err    error
}

// analysis is one reading of a line.
type analysis struct {
	finder
	source string
	lang   syntax.LangVariant
	doubts doubts
}

// Parse examines a command line. The error says why that is not possible.
func Parse(line string) (Line, error) {
	return new(examination).parse(line, 0)
}

// lineInside examines a line that a command runs. Both readings of the line around it contain it,
// so once is enough.
func (e *examination) lineInside(line string, depth int) (Line, error) {
	known, ok := e.seen[line]
	if !ok {
		if e.seen == nil {
			e.seen = map[string]result{}
		}
		known.Line, known.err = e.parse(line, depth)
		e.seen[line] = known
	}
	return known.Line, known.err
}

func (e *examination) parse(line string, depth int) (Line, error) {
	if err := check(line, depth); err != nil {
		return Line{}, err
	}
	before := e.count
	bash, err := e.read(line, syntax.LangBash, depth)
	e.count = before
	posix, posixErr := e.read(line, syntax.LangPOSIX, depth)
	switch {
	case err != nil && posixErr != nil:
		return Line{}, err
	case err != nil:
		posix.hide("bash reads it in another way, or not at all")
		return posix, nil
	case posixErr != nil:
		bash.hide("a POSIX shell reads it in another way than bash, or not at all")
		return bash, nil
	}
	return union(posix, bash), nil
}

// check refuses what is not worth reading, and what shells and the parser read differently.
func check(line string, depth int) error {
	switch {
	case len(line) > MaxBytes:
		return fmt.Errorf("it has more than %d bytes", MaxBytes)
	case depth > MaxDepth:
		return errTooDeep
	case !utf8.ValidString(line):
		return errors.New("it is not valid UTF-8")
	}
	for _, r := range line {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return fmt.Errorf("it contains the control character %U", r)
		}
	}
	if nesting(line) > maxNesting || strings.Count(line, "|") > maxPipes {
		return errTooDeep
	}
	return nil
}

// nesting is how deep the parser may have to go, at most: it takes a few KiB of stack for
// each bracket that is open.
func nesting(line string) (deepest int) {
	open := 0
	for _, r := range line {
		switch r {
		case '(', '{', '[':
			open++
			deepest = max(deepest, open)
		case ')', '}', ']':
			open = max(0, open-1)
		}
	}
	return deepest
}

// read parses the line in one language.
func (e *examination) read(line string, lang syntax.LangVariant, depth int) (Line, error) {
	if e.parser == nil {
		e.parser = syntax.NewParser()
	}
	syntax.Variant(lang)(e.parser)
	syntax.KeepComments(strings.Contains(line, "#"))(e.parser)
	file, err := e.parser.Parse(strings.NewReader(line), "")
	if err != nil {
		return Line{}, errors.New(reason(err))
	}
	a := &analysis{finder: finder{examination: e, depth: depth}, source: line, lang: lang,
		doubts: doubts{source: line, isFlat: !strings.ContainsAny(line, "`") && !strings.Contains(line, "<<")}}
	syntax.Walk(file, a.visit)
	if a.doubts.why != "" {
		a.Hidden, a.Misread = a.doubts.why, true
	}
	return a.Line, a.err
}

// reason is what the parser says, without the place in a file that has no name.
func reason(err error) string {
	if parse, ok := errors.AsType[syntax.ParseError](err); ok {
		return parse.Text
	}
	return err.Error()
}

func (l *Line) hide(why string) {
	l.Hidden = cmp.Or(l.Hidden, why)
}

// union is what either reading has. Mostly both are the same.
func union(a, b Line) Line {
	known := map[string]bool{}
	for _, c := range a.Commands {
		known[c.String()] = true
	}
	for _, c := range b.Commands {
		if !known[c.String()] {
			a.Commands = append(a.Commands, c)
		}
	}
	a.Writes, a.Reads, a.Moves = join(a.Writes, b.Writes), join(a.Reads, b.Reads), join(a.Moves, b.Moves)
	a.Lost, a.Input, a.Misread = a.Lost || b.Lost, a.Input || b.Input, a.Misread || b.Misread
	a.Physical = a.Physical || b.Physical
	a.hide(b.Hidden)
	return a
}

// join appends the words that are not in a list yet.
func join(list, more []Word) []Word {
	for _, w := range more {
		if !contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}
