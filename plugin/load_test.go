package plugin_test

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestTheConfigurationNamesGuards: besides those that the plugin names itself.
func TestTheConfigurationNamesGuards(t *testing.T) {
	yes, no := true, false
	p := plugin.Plugin{Name: "p", Hooks: []hookpoints.Name{preTool, preMessage, postTool},
		Guards: []hookpoints.Name{preTool}, Pure: true}
	notices := plugin.Override{Guards: []hookpoints.Name{preTool, preMessage, "pre_tool_output"}, Pure: &no}.Apply(&p)
	if diff := cmp.Diff([]hookpoints.Name{preTool, preMessage}, p.Guards); diff != "" || p.Pure {
		t.Errorf("guards (-want +got):\n%s\npure: %v", diff, p.Pure)
	}
	want := []plugin.Notice{{Plugin: "p", Text: "guards in [plugins.\"p\"] of the configuration names pre_tool_output, " +
		"where it has no hook"}}
	if diff := cmp.Diff(want, notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if plugin.Override.Apply(plugin.Override{Pure: &yes}, &p); !p.Pure {
		t.Error("the configuration does not make it pure")
	}
}

func TestASettingOfStdinWithoutEffectIsReported(t *testing.T) {
	if notices := (plugin.Override{}).NoStdin("kode:x:y"); notices != nil {
		t.Errorf("%q without a setting", notices)
	}
	notices := plugin.Override{Stdin: "inherit"}.NoStdin("kode:x:y")
	want := `plugin "kode:x:y": stdin in [plugins."kode:x:y"] of the configuration has no effect: its payload is on ` +
		`standard input only; remove the key`
	if len(notices) != 1 || notices[0].String() != want {
		t.Errorf("%q, want %q", notices, want)
	}
}
