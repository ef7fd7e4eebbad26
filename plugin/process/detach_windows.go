package process

import "fmt"

// Detach is not offered on Windows: the error is ErrStart.
func (e Runner) Detach(Command) error {
	return fmt.Errorf("%w: on Windows no process outlives its host", ErrStart)
}
