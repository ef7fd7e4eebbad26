package contexts

// handle is one context of a store.
type handle struct {
	keeper keeper
	*conversation
	*notes
	*mailbox
	*owner
	*settings
	*scripts
}

// handle opens a context.
func (s *Store) handle(name string) *handle {
	r := &ref{settings: &s.Settings, name: name}
	k := s.backend.open(r)
	c := &conversation{ref: r, transcript: k.transcript, views: k.views}
	return &handle{
		keeper: k, conversation: c, notes: &notes{ref: r, texts: k.texts, transcript: k.transcript},
		mailbox: &mailbox{store: s, ref: r, inbox: k.inbox, conversation: c}, owner: &owner{s, r, k.lock},
		settings: &settings{ref: r, texts: k.texts}, scripts: &scripts{ref: r, copies: k.scripts},
	}
}
