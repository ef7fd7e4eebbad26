package permissions

import "github.com/chibi-host/chibi/tools"

// fileCall is a call of a tool that reads, searches, writes or edits a file.
type fileCall struct {
	*Rules
	spec tools.Spec
	file file
}

func (c fileCall) judge() Judgement {
	j := Strictest(c.forbidden(c.concerns), c.permit())
	switch {
	case !c.isKnown():
		return j
	case isWritten(c.spec.Category):
		return Strictest(j, c.protect(c.file))
	case c.spec.Category == tools.CategorySearch && !c.mayList():
		return Strictest(j, c.neverRead(c.file), Judgement{Decision: Deny, By: j.By,
			Reason: "chibi asks before each file that it reads there, so it cannot search there; read single files"})
	}
	return Strictest(j, c.neverRead(c.file))
}

// mayList reports whether a search may show anything in its directory.
func (c fileCall) mayList() bool { return c.MayRead(c.file.named) && c.MayRead(c.file.real) }

func (c fileCall) isKnown() bool { return c.file.named != "" && c.file.real != "" }

func isWritten(c tools.Category) bool { return c == tools.CategoryWrite || c == tools.CategoryEdit }

// concerns returns how sure it is that a rule that denies or asks is about the file.
func (c fileCall) concerns(rule *rule) certainty {
	switch {
	case rule.isBare() || !c.isAbout(rule):
		return no
	case rule.notPath != nil || !c.isKnown():
		return possible
	case c.either(rule, c.file):
		return certain
	}
	return no
}

// isAbout reports whether a rule that denies or asks holds for what the tool does with
// files, possibly because it names another tool that does the same.
func (c fileCall) isAbout(rule *rule) bool {
	switch {
	case rule.names(c.spec):
		return true
	case c.spec.Category == tools.CategoryEdit: // the edit tells whether a text is in the file
		return rule.forbidsWriting() || rule.forbidsReading()
	case isWritten(c.spec.Category):
		return rule.forbidsWriting()
	}
	return rule.forbidsReading()
}

// permit returns the rule, or the flag, that allows the call.
func (c fileCall) permit() Judgement {
	j := c.Rules.permit(c.spec, func(rule *rule) bool {
		return rule.allowsAllFiles() || c.isKnown() && c.both(rule, c.file)
	})
	if j.Decision == Undecided && c.acceptEdits && isWritten(c.spec.Category) && isIn(c.writeRoots, c.file) {
		return Judgement{Decision: Allow, By: "--accept-edits"}
	}
	return j
}
