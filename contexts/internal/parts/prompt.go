package parts

// A prompt that got no answer, because the request failed or the program was
// killed, is not sent again with the next one, and delivers no mail. It is
// recognized by the entries that follow it, so that nothing has to be written when
// something goes wrong: it is followed by another prompt, or by nothing.

// Asking marks a user's message as a prompt. text is the end of its content.
// Messages of the user right after it belong to it.
func (e Entry) Asking(text, recipe string) Entry {
	meta := MetaOf(e)
	meta.Prompt = &Prompt{Bytes: len(text), Recipe: recipe}
	e.Metadata = &meta
	return e
}

// PromptText returns the content without the mail that precedes the prompt.
func (e Entry) PromptText() string {
	if !IsPrompt(e) || e.Metadata.Prompt.Bytes < 0 {
		return e.Content
	}
	return e.Content[max(0, len(e.Content)-e.Metadata.Prompt.Bytes):]
}

// Recipe returns the recipe that a prompt comes from, "" if there is none.
func (e Entry) Recipe() string {
	if !IsPrompt(e) {
		return ""
	}
	return e.Metadata.Prompt.Recipe
}

// IsPrompt reports whether the entry asks for an answer.
func IsPrompt(e Entry) bool { return IsUsers(e) && e.Metadata != nil && e.Metadata.Prompt != nil }

// IsUsers reports whether the entry is a message of the user.
func IsUsers(e Entry) bool { return e.Type == TypeMessage && e.Role() == RoleUser }

// IsAnswer reports whether the entry is a message, a call or a result of a model.
func IsAnswer(e Entry) bool {
	return e.Type == TypeToolCall || e.Type == TypeToolResult || e.Type == TypeMessage && e.Role() == RoleAssistant
}

// Answers finds prompts without an answer. It takes entries in their order, and
// passes each on as soon as it is known whether it belongs to such a prompt.
type Answers struct {
	// Each receives every entry, and whether it belongs to a prompt without an
	// answer. It returns whether it wants more.
	Each func(e Entry, unanswered bool) (more bool)

	open []Entry // from the latest prompt on, while it has no answer
}

// Add adds the next entry and reports whether more are wanted.
func (a *Answers) Add(e Entry) (more bool) {
	switch {
	case IsPrompt(e):
		more = a.pass(true)
		a.open = []Entry{e}
		return more
	case IsAnswer(e):
		return a.pass(false) && a.Each(e, false)
	case a.open != nil:
		a.open = append(a.open, e)
		return true
	}
	return a.Each(e, false)
}

// End passes on the remaining entries when there are no more.
func (a *Answers) End() { a.pass(true) }

// pass passes on the prompt that is open, and what followed it.
func (a *Answers) pass(unanswered bool) (more bool) {
	for _, e := range a.open {
		if !a.Each(e, unanswered && IsUsers(e)) {
			return false
		}
	}
	a.open = nil
	return true
}

// Answered leaves out prompts without an answer, except the one with the id asking,
// whose answer is still to come; "" for none.
func Answered(entries []Entry, asking string) []Entry {
	var kept []Entry
	var a Answers
	a.Each = func(e Entry, unanswered bool) bool {
		if !unanswered || a.open[0].ID == asking {
			kept = append(kept, e)
		}
		return true
	}
	for _, e := range entries {
		a.Add(e)
	}
	a.End()
	return kept
}

// Deliveries finds which mail has been delivered, from entries that are added from
// the last one backward.
type Deliveries struct {
	ids      map[string]delivery
	answered bool // something later answers the next prompt
	ended    bool // what answers it ends with a text
}

// delivery is what is known of a message that was delivered.
type delivery struct {
	ended   bool // the latest prompt that delivered it was answered to the end
	prompts int  // that delivered it
}

// Add adds the entry before those that were added.
func (d *Deliveries) Add(e Entry) {
	delivers, ended := !IsPrompt(e) || d.answered, !IsPrompt(e) || d.ended
	switch {
	case IsPrompt(e):
		d.answered, d.ended = false, false
	case IsAnswer(e) && !d.answered:
		d.answered, d.ended = true, e.Type == TypeMessage
	}
	if delivers && e.Metadata != nil {
		if d.ids == nil {
			d.ids = map[string]delivery{}
		}
		for _, id := range e.Metadata.Delivered {
			known, isKnown := d.ids[id]
			d.ids[id] = delivery{known.ended || !isKnown && ended, known.prompts + 1}
		}
	}
}

// Has reports whether a message was delivered.
func (d *Deliveries) Has(id string) bool { return d.ids[id].prompts > 0 }

// Tries returns how many runs have taken a message, if the latest ended in the midst of its answer:
// after a call of a tool, without a text behind it. It is 0 if the message was answered or never
// delivered.
func (d *Deliveries) Tries(id string) int {
	if d.ids[id].ended {
		return 0
	}
	return d.ids[id].prompts
}
