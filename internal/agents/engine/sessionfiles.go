package engine

// SessionFiles are an agent's own files of sessions. Their names say which session each is; nobody reads them.
type SessionFiles struct {
	// Path is relative to the person's home directory, with * for names; "": it is not known. Variable is as in
	// Place.
	Path, Variable string
	// Begin is of how many characters the name has only the beginning of the session's id; 0: it has all of it.
	Begin int
	// Nested says that sub-agents have files of their own.
	Nested bool
}
