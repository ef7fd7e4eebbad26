package engine

// SessionFiles are an agent's own files of sessions. A file's name says whose session it is; chibi does not
// read the file.
type SessionFiles struct {
	// Path is relative to the person's home directory, with * for names; "": it is not known. Variable is the
	// same as in Place.
	Path, Variable string
	// Begin is the number of characters of the session's id that the name begins with; 0: the name has the
	// whole id.
	Begin int
	// Nested says that sub-agents have files of their own.
	Nested bool
}
