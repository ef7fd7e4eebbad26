package storage

import "testing"

// TestAShortPasswordLeavesAnErrorReadable: each of its letters hidden would say which it is, and nothing else.
func TestAShortPasswordLeavesAnErrorReadable(t *testing.T) {
	for _, test := range []struct{ secret, text, want string }{
		{"a", `nats://ann:a@h: the user "ann" was refused: password=a`,
			`nats://ann:***@h: the user "ann" was refused: password=***`},
		{"a", `what "a" has is not known`, `what "***" has is not known`},
		{"secretword", `the password secretword was refused`, `the password *** was refused`},
		{"", "nothing", "nothing"},
	} {
		p := Place{URL: "nats://x", Shown: "nats://x", Secrets: []string{test.secret}}
		if got := p.withoutSecrets(test.text); got != test.want {
			t.Errorf("%q is shown as %q; want %q", test.text, got, test.want)
		}
	}
}
