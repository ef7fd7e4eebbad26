package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// ReadInput sets flags from the object of --json-config. An unknown member is
// ignored, and ignored is called with a sentence that says so.
func ReadInput(flags []*Flag, text []byte, ignored func(string)) error {
	plain, err := strictjson.Normalize(text)
	if errors.Is(err, strictjson.ErrDepth) {
		return fmt.Errorf("--json-config: the input cannot be read: %v", err)
	} else if err != nil {
		return fmt.Errorf("--json-config: the input is %v", err)
	}
	object := gjson.ParseBytes(plain)
	if !object.IsObject() {
		return errors.New("--json-config: the input is not an object; chibi --json-schema describes it")
	}
	if err := giveCommand(flags, object.Get("command")); err != nil {
		return err
	}
	giveSwitches(flags, object.Get("flags"), ignored)
	if err := giveContext(flags, object.Get("context")); err != nil {
		return err
	}
	for _, member := range overrides(flags) {
		if err := giveOverride(flags, member, object.Get(member)); err != nil {
			return err
		}
	}
	known := append([]string{"command", "flags", "context", "$schema"}, overrides(flags)...)
	object.ForEach(func(key, _ gjson.Result) bool {
		if !slices.Contains(known, key.String()) {
			ignored(fmt.Sprintf("--json-config: the member %q is not known and ignored", key.String()))
		}
		return true
	})
	return nil
}

// Copy sets flags from others of the same descriptions: those that were given on
// the command line and may be combined with --json-config.
func Copy(from, to []*Flag) {
	for i, f := range from {
		if f.Beside && f.given.Times > 0 {
			to[i].Give(f.given.Values, f.given.Rest)
		}
	}
}

// at returns the flag that a member of the object sets; nil if there is none.
func at(flags []*Flag, path string) *Flag {
	i := slices.IndexFunc(flags, func(f *Flag) bool { return slices.Contains(f.Members, path) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

func giveSwitches(flags []*Flag, object gjson.Result, ignored func(string)) {
	for _, f := range flags {
		if f.On && f.given.Times == 0 && object.Get(strings.TrimPrefix(f.Members[0], "flags.")).Type != gjson.False {
			f.Give(nil, nil)
		}
	}
	object.ForEach(func(key, value gjson.Result) bool {
		f := at(flags, "flags."+key.String())
		switch {
		case f == nil:
			ignored(fmt.Sprintf("--json-config: the flag %q is not known and ignored", key.String()))
		case takes(f) > 0:
			f.Give(words(value), nil)
		case value.Bool() && f.given.Times == 0:
			f.Give(nil, nil)
		}
		return true
	})
}

// words returns the words that a flag takes: strings and numbers, and objects for keys of --debug
// that have values.
func words(value gjson.Result) (list []string) {
	all := []gjson.Result{value}
	if value.IsArray() {
		all = value.Array()
	}
	for _, one := range all {
		if one.IsObject() {
			one.ForEach(func(key, value gjson.Result) bool {
				list = append(list, key.String()+"="+value.Raw)
				return true
			})
		} else if one.Type == gjson.String || one.Type == gjson.Number {
			list = append(list, one.String())
		}
	}
	return list
}

// giveContext sets the context that is switched to: permanently, or for this run.
func giveContext(flags []*Flag, where gjson.Result) error {
	if !where.Exists() || where.Type == gjson.Null || where.String() == "current" {
		return nil
	}
	for _, way := range []string{"switch", "transient", "ephemeral"} {
		object := where.Get(way)
		if !object.IsObject() {
			continue
		}
		if persistent := object.Get("persistent"); way == "switch" && persistent.Exists() && !persistent.Bool() {
			way = "transient"
		}
		if name := object.Get("name"); name.Type == gjson.String {
			at(flags, "context."+way).Give([]string{name.String()}, nil)
			return nil
		}
		break
	}
	return errors.New(`--json-config: "context" is "current", {"switch": {"name": NAME}} or {"transient": {"name": NAME}}`)
}

// ways lists how long an override holds: permanently, or for this run.
func ways() []string { return []string{"persistent", "transient", "ephemeral"} }

// overrides lists the members of the object that are texts set permanently or for
// this run.
func overrides(flags []*Flag) (list []string) {
	for _, f := range flags {
		for _, path := range f.Members {
			member, way, _ := strings.Cut(path, ".")
			if slices.Contains(ways(), way) && member != "context" && !slices.Contains(list, member) {
				list = append(list, member)
			}
		}
	}
	return list
}

func giveOverride(flags []*Flag, member string, object gjson.Result) error {
	if !object.Exists() || object.Type == gjson.Null {
		return nil
	}
	given := map[*Flag]string{}
	for _, way := range ways() {
		if text := object.Get(way); text.Type == gjson.String {
			given[at(flags, member+"."+way)] = text.String()
		}
	}
	if len(given) == 0 {
		return fmt.Errorf(`--json-config: %q is {"persistent": TEXT} or {"transient": TEXT}`, member)
	}
	for f, text := range given {
		f.Give([]string{text}, nil)
	}
	return nil
}
