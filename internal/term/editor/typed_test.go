package editor

import (
	"bytes"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/term/termtest"
)

func TestItDoesNotMatterHowKeysAndPastesAreCut(t *testing.T) {
	text := []byte("a\x1b[200~two\rlines\x1b[201~b\x1b\rc\x1b[A\x1b[13;2ud\x1b[200~short\x1b[201~é\r")
	want := "a[pasted text 1: 2 lines]b⏎c\x1b[A⏎dshorté\r"
	for at := range text {
		var k typed
		k.feed(text[:at])
		k.feed(text[at:])
		if string(k.pending) != want || !slices.Equal(k.pastes, []string{"two\nlines"}) || k.pasting {
			t.Errorf("cut at byte %d: keys %q, pastes %q", at, k.pending, k.pastes)
		}
	}
	var k typed
	for _, b := range text {
		k.feed([]byte{b})
	}
	if string(k.pending) != want {
		t.Errorf("byte by byte: keys %q", k.pending)
	}
}

// TestEscapeByItselfIsNoPartOfTheNextKey, whatever that is: together they would be Alt-B, or
// the begin of another key.
func TestEscapeByItselfIsNoPartOfTheNextKey(t *testing.T) {
	for text, together := range map[string]string{"bye": previousWord + "ye", "Oh": "\x1b[h", "[x": "\x1b[x", "x": "x"} {
		for _, isAlone := range []bool{true, false} {
			var k typed
			k.feed([]byte("a\x1b"))
			want := "a" + together
			if isAlone && k.isEscape() {
				k.endKey()
				want = "a" + text
			}
			k.feed([]byte(text))
			if string(k.pending) != want {
				t.Errorf("Escape and %q, alone %v: keys %q, want %q", text, isAlone, k.pending, want)
			}
		}
	}
}

func TestCtrlCEndsAPasteWhoseEndWasLost(t *testing.T) {
	var k typed
	k.feed([]byte("\x1b[200~half a pa"))
	k.feed([]byte("ste"))
	k.feed([]byte{ctrlC})
	k.feed([]byte("x\r"))
	if k.pasting || !bytes.Equal(k.pending, []byte("\x00x\r")) {
		t.Errorf("pasting %v, keys %q", k.pasting, k.pending)
	}
}

func TestAPasteHasABound(t *testing.T) {
	var k typed
	k.feed([]byte("a\x1b[200~"))
	for range 6 {
		k.feed(bytes.Repeat([]byte("x"), 1<<20))
	}
	if len(k.paste) != maxPaste {
		t.Errorf("%d bytes are held", len(k.paste))
	}
	k.feed([]byte("\x1b[201~b"))
	if want := "a[a pasted text of more than 4 MiB was discarded]b"; string(k.pending) != want {
		t.Errorf("keys %q, want %q", k.pending, want)
	}
}

// TestWhatWasPastedDoesNotDriveTheTerminal holds for the line that is typed and
// for history.
func TestWhatWasPastedDoesNotDriveTheTerminal(t *testing.T) {
	for _, kind := range termtest.Kinds() {
		var k typed
		k.feed([]byte("\x1b[200~" + kind.Text + "\x1b[201~"))
		e := &Editor{History: []string{kind.Text}}
		for _, shown := range []string{string(k.pending), (*history)(e).At(0)} {
			if wrong := termtest.Wrong(shown); wrong != "" {
				t.Errorf("%s: %q reaches the terminal in %q", kind.Name, wrong, shown)
			}
		}
	}
}

// FuzzTyped holds that no bytes of a terminal end the program, and that it does
// not matter how they are cut.
func FuzzTyped(f *testing.F) {
	f.Add("a\x1b[200~two\rlines\x1b[201~b\x1b\rc", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		fuzztest.Memory(t)
		at = min(max(at, 0), len(text))
		if text[:at] == "\x03" || text[at:] == "\x03" {
			return // by itself it ends a paste
		}
		var one, two typed
		one.feed([]byte(text))
		two.feed([]byte(text[:at]))
		two.feed([]byte(text[at:]))
		if !bytes.Equal(one.pending, two.pending) || !slices.Equal(one.pastes, two.pastes) {
			t.Errorf("keys %q or %q, pastes %q or %q", one.pending, two.pending, one.pastes, two.pastes)
		}
	})
}
