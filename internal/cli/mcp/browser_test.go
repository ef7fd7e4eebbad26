package mcp

import (
	"strings"
	"testing"
)

func TestABrowserOpensWhereThereIsAScreen(t *testing.T) {
	for _, test := range []struct{ system, env, want string }{
		{"linux", "", ""}, {"linux", "DISPLAY", "xdg-open"}, {"linux", "WAYLAND_DISPLAY", "xdg-open"},
		{"freebsd", "DISPLAY", "xdg-open"}, {"darwin", "", "open"}, {"darwin", "SSH_CONNECTION", ""},
		{"windows", "", "rundll32.exe url.dll,FileProtocolHandler"},
	} {
		got := opener(test.system, func(name string) string {
			if name == test.env {
				return "1"
			}
			return ""
		})
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s with %q: %q, want %q", test.system, test.env, got, test.want)
		}
	}
}
