package terminaltest

import "testing"

func TestTheScreenModel(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"lines", "one\r\ntwo\r\n", "one\ntwo"},
		{"a status line that is drawn over", "\r\x1b[K\x1b[2mwaiting\x1b[0m\r\x1b[Kx", "x"},
		{"a line that is too long", "123456789012", "1234567890\n12"},
		{"a line that is just full", "1234567890\r\nx", "1234567890\nx"},
		{"blanks over a full line at its begin", "          \rx", "x"},
		{"blanks over a full line in its middle", "abc          \rx", "abc\nx"},
		{"wide characters", "日本語日本語", "日本語日本\n語"},
		{"a wide character at the end", "123456789日", "123456789\n日"},
		{"without a return", "ab\ncd", "ab\n  cd"},
		{"going up and erasing", "one\r\ntwo\r\nthree\x1b[2A\r\x1b[Jx", "x"},
		{"a row that does not wrap", "\x1b[?7l123456789012\x1b[?7h", "1234567892"},
		{"a backspace and a tab", "ab\bc\td", "ac      d"},
	} {
		if got := Draw(10, tt.text).Text(); got != tt.want {
			t.Errorf("%s: %q is seen as %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
