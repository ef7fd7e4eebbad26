package contexts

import "slices"

// Messages returns the messages among entries.
func Messages(entries []Entry) []Entry {
	var list []Entry
	for _, e := range entries {
		if e.Type == TypeMessage {
			list = append(list, e)
		}
	}
	return list
}

// dropped returns the messages of a window that are not kept.
func dropped(window, keep []Entry) []Entry {
	kept := map[string]bool{}
	for _, e := range keep {
		kept[e.ID] = true
	}
	var list []Entry
	for _, e := range Messages(window) {
		if !kept[e.ID] {
			list = append(list, e)
		}
	}
	return list
}

// windowBuilder builds a window from the entries of a transcript, which are added
// from the last one backward.
type windowBuilder struct {
	anchor   *Entry // with which the window begins, nil if there is none
	reversed []Entry
}

// add adds an entry and reports whether more are needed.
func (b *windowBuilder) add(e Entry) (more bool) {
	if e.isAnchor() {
		b.anchor = &e
	}
	if e.Type == TypeSystemPrompt {
		return true
	}
	for _, kept := range slices.Backward(e.replacement()) {
		b.reversed = append(b.reversed, kept)
	}
	b.reversed = append(b.reversed, e.withoutReplacement())
	return b.anchor == nil
}

// window returns the window, from its first entry on.
func (b *windowBuilder) window() []Entry {
	slices.Reverse(b.reversed)
	return b.reversed
}

// windowOf returns the window of a transcript.
func windowOf(entries []Entry) []Entry {
	var b windowBuilder
	for _, e := range slices.Backward(entries) {
		if !b.add(e) {
			break
		}
	}
	return b.window()
}

// summaryOf returns the summary that an anchor sets; isSet is false if the anchor
// keeps the previous summary.
func summaryOf(anchor Entry) (summary string, isSet bool) {
	switch {
	case anchor.Type == TypeArchival, anchor.Metadata != nil && anchor.Metadata.Superseded:
		return "", true
	case anchor.Metadata != nil && anchor.Metadata.Summary != "":
		return anchor.Metadata.Summary, true
	}
	return "", false
}
