// Command floor is what bench/compare measures chibi against: bare loops that do what
// chibi must do at least.
//
//	floor spawn -parallel N -payload FILE [-- ARG] PROGRAM...   starts each program once
//	floor turn -url URL -tool PROGRAM -file FILE               a turn with one tool call
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"

	"golang.org/x/sync/errgroup"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want spawn or turn")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	parallel := flags.Int("parallel", 1, "how many programs run at once")
	argument := flags.String("argument", "", "an argument of each program")
	url := flags.String("url", "", "the model's server")
	tool := flags.String("tool", "", "the program that is the tool")
	file := flags.String("file", "", "the file that is appended to")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "spawn":
		return spawn(flags.Args(), *argument, *parallel)
	case "turn":
		return turn(*url, *tool, *file)
	}
	return fmt.Errorf("%q is not spawn or turn", args[0])
}

// spawn starts programs, at most so many at once, and reads what they print.
func spawn(programs []string, argument string, parallel int) error {
	var all errgroup.Group
	all.SetLimit(parallel)
	for _, program := range programs {
		all.Go(func() error { return call(program, argument) })
	}
	return all.Wait()
}

func call(program, argument string) error {
	var args []string
	if argument != "" {
		args = []string{argument}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "CHIBI_HOOK=pre_tool")
	cmd.Stdin = bytes.NewReader([]byte(`{"tool_name":"bench_tool","arguments":{}}` + "\n"))
	_, err := cmd.Output()
	return err
}

// turn does what a turn with one tool call needs: two requests, one process, and four
// entries that survive a crash.
func turn(url, tool, file string) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	messages := []map[string]any{{"role": "user", "content": "@calls 1"}}
	store := func() error {
		line, err := json.Marshal(messages[len(messages)-1])
		if err == nil {
			_, err = out.Write(append(line, '\n'))
		}
		if err == nil {
			err = out.Sync()
		}
		return err
	}
	steps := []func() error{
		store,
		func() error { return ask(url, messages) },
		func() error {
			messages = append(messages, map[string]any{"role": "assistant", "content": ""})
			return store()
		},
		func() error { return call(tool, "") },
		func() error {
			messages = append(messages, map[string]any{"role": "tool", "content": "done", "tool_call_id": "call-0"})
			return store()
		},
		func() error { return ask(url, messages) },
		func() error {
			messages = append(messages, map[string]any{"role": "assistant", "content": "It is done."})
			return store()
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// ask sends one request and reads its answer.
func ask(url string, messages []map[string]any) error {
	tools := []any{map[string]any{"type": "function", "function": map[string]string{"name": "bench_tool"}}}
	body, err := json.Marshal(map[string]any{"model": "bench", "stream": true, "messages": messages, "tools": tools})
	if err != nil {
		return err
	}
	res, err := http.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}
