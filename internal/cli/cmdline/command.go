package cmdline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// command is a command of --json-config: flags that do the same with different
// values, such as -z for the current context and -Z for another one.
type command struct {
	*Command
	flags []*Flag
}

func commands(flags []*Flag) (list []command) {
	for _, f := range flags {
		if f.Command == nil {
			continue
		}
		i := slices.IndexFunc(list, func(c command) bool { return c.Command == f.Command })
		if i < 0 {
			i, list = len(list), append(list, command{Command: f.Command})
		}
		list[i].flags = append(list[i].flags, f)
	}
	return list
}

// CommandNames lists the first names of the commands of --json-config.
func CommandNames(flags []*Flag) (list []string) {
	for _, c := range commands(flags) {
		list = append(list, c.Names[0])
	}
	return list
}

// members returns the members of the command's object: the members of the flag that has most.
func (c command) members() []Value {
	most := slices.MaxFunc(c.flags, func(a, b *Flag) int { return len(a.Takes) - len(b.Takes) })
	return most.Takes
}

func (c command) requires(member Value) bool {
	return member.Kind != Rest && !slices.ContainsFunc(c.flags, func(f *Flag) bool {
		return !slices.ContainsFunc(f.Takes, func(v Value) bool { return v.Member == member.Member })
	})
}

func (c command) give(name string, object gjson.Result) error {
	missing := 0
	for _, m := range c.members() {
		value := object.Get(m.Member)
		if err := c.check(name, m, value); err != nil {
			return err
		}
		if !c.requires(m) && m.Kind != Rest && value.String() == "" {
			missing++
		}
	}
	most := len(c.members()) - missing
	meant := c.flags[slices.IndexFunc(c.flags, func(f *Flag) bool { return len(f.Takes) == most })]
	var values, rest []string
	for _, m := range meant.Takes {
		switch value := object.Get(m.Member); m.Kind {
		case Rest:
			rest = texts(value)
		case Number:
			values = append(values, strconv.FormatInt(value.Int(), 10))
		default:
			values = append(values, value.String())
		}
	}
	meant.Give(values, rest)
	return nil
}

func (c command) check(name string, m Value, value gjson.Result) error {
	if isMissing := !value.Exists() || value.Type == gjson.Null; isMissing && !c.requires(m) {
		return nil
	}
	ok, want := value.Type == gjson.String, "a string"
	switch m.Kind {
	case Number:
		ok, want = value.Type == gjson.Number, "an integer"
	case Rest:
		ok, want = value.IsArray(), "a list of strings"
	}
	if !ok {
		return fmt.Errorf("--json-config: the command %q needs %q, %s", name, m.Member, want)
	}
	return nil
}

func texts(list gjson.Result) []string {
	words := []string{}
	for _, word := range list.Array() {
		words = append(words, word.String())
	}
	return words
}

func giveCommand(flags []*Flag, said gjson.Result) error {
	name, members := said.String(), gjson.Result{}
	if said.IsObject() {
		said.ForEach(func(key, value gjson.Result) bool {
			name, members = key.String(), value
			return false
		})
	}
	for _, c := range commands(flags) {
		if slices.Contains(c.Names, name) {
			return c.give(name, members)
		}
	}
	return fmt.Errorf("--json-config: there is no command %q; there are %s", name,
		strings.Join(CommandNames(flags), ", "))
}
