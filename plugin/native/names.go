package native

import (
	"fmt"
	"maps"

	"github.com/chibi-host/chibi/plugin"
)

// adopt gives plugins the settings that are under a name in their schemas, unless there are some
// under their own. A name that an entry of the plugins directory has is that of the entry.
func (o *Options) adopt(found []executable, skipped []plugin.SkippedPlugin, probes []probed) {
	entries := map[string]bool{}
	for _, file := range found {
		entries[file.name] = true
	}
	for _, left := range skipped {
		entries[left.Name] = true
	}
	isOwn := true
	for i, file := range found {
		if _, isSet := o.Overrides[file.name]; isSet {
			continue
		}
		for _, s := range probes[i].schemas {
			set, isSet := o.Overrides[s.Name]
			if !isSet || entries[s.Name] {
				continue
			}
			if isOwn {
				o.Overrides, isOwn = maps.Clone(o.Overrides), false
			}
			o.Overrides[file.name] = set
			break
		}
	}
}

// leavesOut returns why an executable is not used whose schema has the name that the
// configuration turns off, nil if there is no such name.
func (o *Options) leavesOut(name string, schemas []schema) *plugin.SkippedPlugin {
	if _, placed := o.Placed[name]; placed || !o.Overrides[name].Disabled {
		return nil
	}
	var left *plugin.SkippedPlugin
	var names []string
	for _, s := range schemas {
		if left == nil && o.Overrides[s.Name].Disabled {
			left = disabled(s.Name)
		}
		names = append(names, s.Name)
	}
	if left != nil {
		left.Called = names
	}
	return left
}

// disabled says that the configuration leaves out an entry of the plugins directory.
func disabled(name string) *plugin.SkippedPlugin {
	return &plugin.SkippedPlugin{Reason: fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration",
		name), Disabled: true}
}
