// Package cases runs the cases of *.chibi-test.toml files: a hook's payload or a tool
// call in, the plugin's answer or the combined result out.
//
//	plugin = "block-rm"            # default: the file's name without .chibi-test.toml
//
//	[[case]]
//	name = "rm -rf is blocked"
//	hook = "pre_tool"
//	data.arguments.command = "rm -rf /"      # other fields: as in the hook's example payload
//	answer = { block = true, message = "no" }
//
//	[[case]]
//	tool = "word_count"
//	arguments.text = "one two"
//	output = "2\n"
//
// It promises that a case runs the plugin as the program does, in the environment that it
// was loaded with (in chibi plugin test, a scratch home), and that only what a case
// specifies is compared.
package cases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/pelletier/go-toml/v2"
)

// Suffix is the suffix of the names of files with cases.
const Suffix = ".chibi-test.toml"

// File holds the cases of one plugin.
type File struct {
	// Path is the file.
	Path string `toml:"-"`
	// Plugin is the plugin's name.
	Plugin string `toml:"plugin"`
	// Cases are run in this order.
	Cases []Case `toml:"case"`
}

// Case is one case. Either Hook or Tool is set.
type Case struct {
	// Name is shown to people.
	Name string `toml:"name"`
	// Context is the name of the context that is passed to the plugin; "": "default".
	Context string `toml:"context"`
	// Env are variables that are added to the plugin's environment.
	Env map[string]string `toml:"env"`

	// Hook is the point that is fired; Data replaces fields of its example payload.
	Hook string         `toml:"hook"`
	Data map[string]any `toml:"data"`
	// Answer is the expected answer of the plugin, {} for none; Result the expected
	// result; Matches are patterns for strings of the answer, by their path.
	Answer  map[string]any    `toml:"answer"`
	Result  map[string]any    `toml:"result"`
	Matches map[string]string `toml:"matches"`

	// Tool is the tool that is called, with Arguments; Output is its expected output,
	// OutputMatches a pattern for the output.
	Tool          string         `toml:"tool"`
	Arguments     map[string]any `toml:"arguments"`
	Output        *string        `toml:"output"`
	OutputMatches string         `toml:"output_matches"`

	// Fails is a pattern for the expected failure; "": the plugin must not fail.
	Fails string `toml:"fails"`
}

const maxCases = 4 << 20

// Read reads a file.
func Read(path string) (File, error) {
	data, err := disk.ReadFile(disk.OS{}, path, maxCases)
	if err != nil {
		return File{}, err
	}
	return Parse(path, data)
}

// Parse reads a file's text. Errors name the file, and the line if it is known.
func Parse(path string, data []byte) (File, error) {
	f := File{Path: path, Plugin: strings.TrimSuffix(filepath.Base(path), Suffix)}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&f)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		line, _ := unknown.Errors[0].Position()
		return f, fmt.Errorf("%s:%d: unknown key %q", path, line, strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &wrong):
		line, _ := wrong.Position()
		return f, fmt.Errorf("%s:%d: %s", path, line, strings.TrimPrefix(wrong.Error(), "toml: "))
	case err != nil:
		return f, fmt.Errorf("%s: %w", path, err)
	case len(f.Cases) == 0:
		return f, fmt.Errorf("%s: it has no [[case]]", path)
	}
	for i := range f.Cases {
		c := &f.Cases[i]
		c.Name = cmp.Or(c.Name, fmt.Sprintf("case %d", i+1))
		if err := c.check(); err != nil {
			return f, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f, nil
}

func (c Case) check() error {
	if c.Hook != "" && !hookpoints.Exists(hookpoints.Name(c.Hook)) {
		return fmt.Errorf("%s: unknown hook %q; chibi hook list shows all", c.Name, c.Hook)
	}
	expects := c.Answer != nil || c.Result != nil || c.Matches != nil || c.Output != nil ||
		c.OutputMatches != "" || c.Fails != ""
	switch {
	case (c.Hook == "") == (c.Tool == ""):
		return fmt.Errorf("%s: set either hook or tool", c.Name)
	case !expects:
		return fmt.Errorf("%s: it expects nothing; set answer, result, matches, output, output_matches or fails", c.Name)
	}
	for _, pattern := range slices.AppendSeq([]string{c.OutputMatches, c.Fails}, maps.Values(c.Matches)) {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	for _, table := range []map[string]any{c.Answer, c.Result, c.Arguments} {
		if _, err := json.Marshal(table); err != nil { // TOML has nan and inf
			return fmt.Errorf("%s: a value that JSON does not have: %w", c.Name, err)
		}
	}
	return nil
}

// ContextName returns the name of the case's context.
func (c Case) ContextName() string { return cmp.Or(c.Context, "default") }

// asJSON returns a table as JSON. Cases with tables that cannot be JSON are rejected when
// they are read.
func asJSON(table map[string]any) json.RawMessage {
	data, err := json.Marshal(table)
	if err != nil || table == nil {
		return json.RawMessage("{}")
	}
	return data
}
