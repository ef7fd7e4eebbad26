package native

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chibi-host/chibi/plugin"
)

// adopt gives plugins the settings that are under a name in their schemas, and returns those that
// are left out for it: a setting turns them off, or there are some under two names. A name that an
// entry of the plugins directory has belongs to the entry.
func (o *Options) adopt(found []executable, skipped []plugin.SkippedPlugin,
	probes []probed) map[string]plugin.SkippedPlugin {
	entries := map[string]bool{}
	for _, file := range found {
		entries[file.name] = true
	}
	for _, left := range skipped {
		entries[left.Name] = true
	}
	before, leftOut := o.Overrides, map[string]plugin.SkippedPlugin{}
	o.Overrides = maps.Clone(before)
	for i, file := range found {
		var names []string // those with settings
		called := probes[i].names()
		for _, name := range append([]string{file.name}, called...) {
			_, isSet := before[name]
			isOthers := name != file.name && entries[name]
			if isSet && !isOthers && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			continue
		}
		o.Overrides[file.name] = before[names[0]]
		_, isPlaced := o.Placed[file.name]
		switch {
		case isPlaced:
		case len(names) > 1:
			leftOut[file.name] = plugin.SkippedPlugin{Called: called, Reason: fmt.Sprintf("the configuration has settings for "+
				"it under two names, [plugins.%q] and [plugins.%q]; write them under one", names[0], names[1])}
		case before[names[0]].Disabled:
			left := *disabled(names[0])
			left.Called = called
			leftOut[file.name] = left
		}
	}
	return leftOut
}

// names returns the names in the schemas.
func (p probed) names() (list []string) {
	for _, s := range p.schemas {
		list = append(list, s.Name)
	}
	return list
}

// disabled says that the configuration leaves out an entry of the plugins directory.
func disabled(name string) *plugin.SkippedPlugin {
	return &plugin.SkippedPlugin{Reason: fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration",
		name), Disabled: true}
}
