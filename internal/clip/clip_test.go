package clip_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/clip"
)

func TestText(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc..."}, {"日本語", 3, "日本語"}, {"日本語", 2, "日本..."},
		{"a\xff\xffb", 2, "a\xff..."}, {"a", 0, "..."},
	} {
		if got := clip.Text(test.text, test.most); got != test.want {
			t.Errorf("%q of at most %d: %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aé", 2, "a"}, {"aé", 3, "aé"}, {"日本", 5, "日"}, {"日", 0, ""},
		{"\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80"},
	} {
		if got := clip.Bytes(test.text, test.most); got != test.want {
			t.Errorf("%q of at most %d bytes: %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, test := range []struct {
		data string
		want int
	}{
		{"", 0}, {"a", 1}, {"aé", 3}, {"a\xc3", 1}, {"日", 3}, {"日\xe6", 3}, {"日\xe6\x97", 3}, {"\xf0\x9f\x98", 0},
		{"😀", 4}, {"a\xff", 2}, {"a\x80\x80\x80\x80", 5},
	} {
		if got := clip.Whole([]byte(test.data)); got != test.want {
			t.Errorf("of %q: %d bytes, want %d", test.data, got, test.want)
		}
	}
}
