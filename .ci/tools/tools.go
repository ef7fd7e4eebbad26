//go:build tools

// Package tools names the programs that CI and some tests need, so that their
// versions are pinned without being dependencies of chibi.
package tools

import (
	_ "github.com/itchyny/gojq/cmd/gojq"
	_ "golang.org/x/vuln/cmd/govulncheck"
	_ "honnef.co/go/tools/cmd/staticcheck"
)
