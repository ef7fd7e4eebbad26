package contexts

// handle is one context of a store.
type handle struct {
	*conversation
	*notes
	*mailbox
	*owner
	*settings
	*scripts
}

// newHandle opens the context that r names.
func newHandle(r *ref) *handle {
	k := r.store.backend.open(r)
	c := &conversation{ref: r, transcript: k.transcript, views: k.views}
	return &handle{
		conversation: c, notes: &notes{ref: r, texts: k.texts, transcript: k.transcript},
		mailbox: &mailbox{ref: r, inbox: k.inbox, conversation: c}, owner: &owner{r},
		settings: &settings{ref: r, texts: k.texts}, scripts: &scripts{ref: r, copies: k.scripts},
	}
}
