package contexts

import "github.com/chibi-host/chibi/contexts/internal/parts"

// handle is one context of a store.
type handle struct {
	keeper parts.Keeper
	*conversation
	*notes
	*mailbox
	*owner
	*settings
	*scripts
}

// handle opens a context.
func (s *Store) handle(name string) *handle {
	r := &parts.Ref{Settings: &s.Settings, Name: name}
	k := s.backend.Open(r)
	c := &conversation{ref: r, transcript: k.Transcript, views: k.Views}
	return &handle{
		keeper: k, conversation: c, notes: &notes{ref: r, texts: k.Texts, transcript: k.Transcript},
		mailbox: &mailbox{store: s, ref: r, inbox: k.Inbox, conversation: c}, owner: &owner{s, r, k.Lock},
		settings: &settings{ref: r, texts: k.Texts}, scripts: &scripts{ref: r, copies: k.Scripts},
	}
}
