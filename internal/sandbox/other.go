//go:build !linux

package sandbox

import (
	"errors"
	"os"
)

var errOther = errors.New("commands are confined on Linux only")

func supported() error { return errOther }

func system() []string { return nil }

// Foreign returns "": nothing is confined.
func (r Rules) Foreign() (path string, owner uint32) { return "", 0 }

// Unsupervised returns that nothing is supervised.
func (r Rules) Unsupervised() error { return errOther }

func unable() error { return errOther }

func (r Rules) supervise() (*os.File, error) { return nil, errOther }

func (r confinement) become([]string) error { return errOther }
