// Command agents drives real agents with chibi's plugins in them; .ci/agents/run builds and
// starts it. Called with "mcp" it is the MCP server of the checks, called with "record" a
// hook that keeps what it was given.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/agents/drive"
)

// options are the options of the command line.
type options struct {
	cache, chibi  string
	only, capture string
	seen          bool
	keep, write   bool
	packages      bool
	agents        []agent
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		serveNotes(os.Stdin, os.Stdout)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "record" {
		os.Exit(record(os.Args[2:]))
	}
	o, err := parse(os.Args[1:])
	if err == nil {
		err = work(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("agents", flag.ContinueOnError)
	set.StringVar(&o.cache, "cache", "", "where the agents are installed")
	set.StringVar(&o.chibi, "chibi", "", "the program under test")
	set.StringVar(&o.only, "only", "", "run the checks with this text in their names")
	set.StringVar(&o.capture, "capture", "", "write what the agents give to hooks into this directory")
	set.BoolVar(&o.seen, "seen", false, "with --capture: only what the agents make of answers")
	set.BoolVar(&o.keep, "keep", false, "leave the directory of each run")
	set.BoolVar(&o.write, "write", false, "write the transcript and the table of docs/BRIDGE.md")
	set.BoolVar(&o.packages, "packages", false, "print which packages are needed")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.agents = agents()
	for _, name := range set.Args() {
		if !slices.ContainsFunc(o.agents, func(a agent) bool { return a.Name == name }) {
			return o, fmt.Errorf("there is no agent %s", name)
		}
	}
	if set.NArg() > 0 {
		o.agents = slices.DeleteFunc(o.agents, func(a agent) bool { return !slices.Contains(set.Args(), a.Name) })
	}
	return o, nil
}

func work(o options) error {
	switch {
	case o.packages:
		fmt.Println("node22 " + nodePackage)
		for _, a := range o.agents {
			if a.variant != "" {
				continue
			}
			fmt.Println(a.Name, a.pkg+"@"+a.version)
		}
		return nil
	case os.Getenv(inside) == "":
		return alone()
	case o.capture != "":
		return captureAll(o)
	}
	return checkAll(o)
}

// inside is the variable that says that this program has no other network than loopback, or cannot be so.
const inside = "CHIBI_AGENTS_INSIDE"

// alone starts this program over without another network than loopback, as chibi bridge verify runs an agent.
// Where that cannot be, the agents' proxies are a closed port.
func alone() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	env := append(os.Environ(), inside+"=1")
	words := drive.NewAlone(context.Background())
	if words == nil {
		fmt.Fprintln(os.Stderr, "no network namespace here: the agents' proxies are a closed port instead")
		return syscall.Exec(self, os.Args, append(env, "CHIBI_AGENTS_PROXY=http://127.0.0.1:9"))
	}
	return syscall.Exec(words[0], append(append(words, self), os.Args[1:]...), env)
}

// atOnce is how many checks run at the same time: most of each is waiting for an agent.
const atOnce = 3

// checkAll runs all checks and prints a line for each, in the order of agents and checks.
func checkAll(o options) error {
	var begun []<-chan verdict
	places := make(chan struct{}, atOnce)
	for _, a := range o.agents {
		for _, c := range checks() {
			if strings.Contains(c.name, o.only) && a.tries(c) {
				said := make(chan verdict, 1)
				begun = append(begun, said)
				go func() {
					places <- struct{}{}
					said <- c.judge(o, a)
					<-places
				}()
			}
		}
	}
	var list []verdict
	for _, said := range begun {
		list = append(list, <-said)
		fmt.Println(list[len(list)-1])
	}
	if o.write {
		if err := writeResults(list); err != nil {
			return err
		}
	}
	bad := slices.ContainsFunc(list, func(v verdict) bool { return v.word == "FAIL" || v.word == "SKIP" })
	if bad {
		return fmt.Errorf("not every check passed")
	}
	return nil
}
