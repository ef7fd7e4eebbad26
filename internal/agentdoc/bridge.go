package agentdoc

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/srcdoc"
)

// BridgePage is the page that says what agents carry out of what chibi's plugins change there.
const BridgePage = "docs/BRIDGE.md"

// GenerateBridge returns that page with its table as it must be.
func GenerateBridge(root fs.FS) (string, error) {
	text, err := fs.ReadFile(root, BridgePage)
	if err != nil {
		return "", err
	}
	page, found := srcdoc.Fill(string(text), "carried", Carried())
	if !found {
		return "", fmt.Errorf("%s has no place for the table of what agents carry out", BridgePage)
	}
	return page, nil
}

// Carried returns the table: a row for each field with which plugins change what happens, but those
// that no agent carries out.
func Carried() string {
	var b, columns strings.Builder
	b.WriteString("| what plugins change |")
	for _, d := range agents.Bridges() {
		fmt.Fprintf(&b, " %s |", d.Name)
		columns.WriteString(" --- |")
	}
	fmt.Fprintf(&b, "\n| --- |%s\n", columns.String())
	var never []string
	for _, r := range agents.Rewritings() {
		row, isCarried := "", false
		for _, d := range agents.Bridges() {
			carried := agents.Bridged{Dialect: d}.Carries(r)
			row += " " + string(carried) + " |"
			isCarried = isCarried || carried != agents.NotFired && carried != agents.CarriedNot
		}
		what := fmt.Sprintf("`%s` at `%s`", r.Field, r.Point)
		if !isCarried {
			never = append(never, what)
			continue
		}
		fmt.Fprintf(&b, "| %s |%s\n", what, row)
	}
	fmt.Fprintf(&b, "\nNo agent carries out %s. \"-\": the point does not fire there.\n", strings.Join(never, ", "))
	return b.String()
}
