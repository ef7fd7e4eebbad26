package plugin_test

import (
	"testing"

	"github.com/chibi-host/chibi/plugin"
)

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
