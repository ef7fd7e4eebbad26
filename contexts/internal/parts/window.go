package parts

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

// Dropped returns the messages of a window that are not kept.
func Dropped(window, keep []Entry) []Entry {
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

// WindowBuilder builds a window from the entries of a transcript, which are added
// from the last one backward.
type WindowBuilder struct {
	Anchor   *Entry // with which the window begins, nil if there is none
	reversed []Entry
}

// Add adds an entry and reports whether more are needed.
func (b *WindowBuilder) Add(e Entry) (more bool) {
	if IsAnchor(e) {
		b.Anchor = &e
	}
	if IsBeside(e) {
		return true
	}
	for _, kept := range slices.Backward(ReplacementOf(e)) {
		b.reversed = append(b.reversed, kept)
	}
	b.reversed = append(b.reversed, withoutReplacement(e))
	return b.Anchor == nil
}

// Window returns the window, from its first entry on.
func (b *WindowBuilder) Window() []Entry {
	slices.Reverse(b.reversed)
	return b.reversed
}

// WindowOf returns the window of a transcript.
func WindowOf(entries []Entry) []Entry {
	var b WindowBuilder
	for _, e := range slices.Backward(entries) {
		if !b.Add(e) {
			break
		}
	}
	return b.Window()
}

// SummaryOf returns the summary that an anchor sets; isSet is false if the anchor
// keeps the previous summary.
func SummaryOf(anchor Entry) (summary string, isSet bool) {
	switch {
	case anchor.Type == TypeArchival, anchor.Metadata != nil && anchor.Metadata.Superseded:
		return "", true
	case anchor.Metadata != nil && anchor.Metadata.Summary != "":
		return anchor.Metadata.Summary, true
	}
	return "", false
}
