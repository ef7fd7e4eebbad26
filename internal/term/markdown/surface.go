package markdown

import "io"

// Surface is what an answer is drawn on.
type Surface interface {
	// Look returns what the surface is like now. It is called before each piece.
	Look() View
	// Draw replaces the rows of its last call by final text, which is "" or whole lines, and
	// by rows below it that the next call replaces. The last row may be incomplete.
	Draw(final string, rows []string) error
}

// View is what a surface is like.
type View struct {
	// Columns is the width to which text is wrapped; 0: it is not wrapped.
	Columns int
	// Rows is how many rows can be replaced; 0: only final text is drawn.
	Rows int
	// Lost reports that the rows of the last Draw stay as they are, as after the size of
	// the terminal has changed. It is reported once.
	Lost bool
}

// writer is a surface on which nothing can be replaced.
type writer struct {
	w       io.Writer
	columns int
}

func (s writer) Look() View { return View{Columns: s.columns} }

func (s writer) Draw(final string, _ []string) error {
	if final == "" {
		return nil
	}
	_, err := io.WriteString(s.w, final)
	return err
}
