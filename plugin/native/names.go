package native

import (
	"fmt"
	"maps"

	"github.com/chibi-host/chibi/plugin"
)

// adopt gives plugins the settings that are under a name in their schemas. A name that an entry of
// the plugins directory has is that of the entry.
func (o *Options) adopt(found []executable, skipped []plugin.SkippedPlugin, probes []probed) {
	entries := map[string]bool{}
	for _, file := range found {
		entries[file.name] = true
	}
	for _, left := range skipped {
		entries[left.Name] = true
	}
	before := o.Overrides
	o.Overrides, o.doubled = maps.Clone(before), map[string]string{}
	for i, file := range found {
		at := file.name
		for _, s := range probes[i].schemas {
			set, isSet := before[s.Name]
			if !isSet || entries[s.Name] || s.Name == at {
				continue
			}
			if _, isSet := before[at]; isSet {
				o.doubled[file.name] = fmt.Sprintf("the configuration has settings for it under two names, [plugins.%q] and "+
					"[plugins.%q]; write them under one", at, s.Name)
				break
			}
			at, o.Overrides[file.name] = s.Name, set
		}
	}
}

// leavesOut returns why an executable is not used whose schema has the name that the
// configuration turns off, or that has settings under two names, nil if it is used.
func (o *Options) leavesOut(name string, schemas []schema) *plugin.SkippedPlugin {
	_, placed := o.Placed[name]
	doubled, isDoubled := o.doubled[name]
	if placed || !isDoubled && !o.Overrides[name].Disabled {
		return nil
	}
	var left *plugin.SkippedPlugin
	if isDoubled {
		left = &plugin.SkippedPlugin{Reason: doubled}
	}
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
