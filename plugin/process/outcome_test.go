package process

import "testing"

// TestTheLineThatSaysWhatFailed takes what interpreters print about an error.
func TestTheLineThatSaysWhatFailed(t *testing.T) {
	for _, test := range []struct{ name, stderr, want string }{
		{"nothing", " \n", "exit status 1"},
		{"python", "Traceback (most recent call last):\n  File \"x\", line 1\nKeyError: 'a'\n\n",
			"exit status 1 (KeyError: 'a')"},
		{"node", "/x:2\nnull.x\n     ^\n\nTypeError: Cannot read\n    at Error (/x:2:6)\n\nNode.js v20.11.0\n",
			"exit status 1 (TypeError: Cannot read)"},
		{"node's version alone", "Node.js v20.11.0\n", "exit status 1 (Node.js v20.11.0)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := (Outcome{Exit: 1, Stderr: test.stderr}).Err(); err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
