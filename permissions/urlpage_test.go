package permissions

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
	"github.com/pelletier/go-toml/v2"
)

// rowsBelow returns the cells of the first table behind a heading of its columns.
func rowsBelow(t *testing.T, page, columns string) (rows [][]string) {
	t.Helper()
	_, table, found := strings.Cut(page, columns+"\n")
	if !found {
		t.Fatalf("docs/PERMISSIONS.md has no table %s", columns)
	}
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if !strings.HasPrefix(line, "| ---") {
			rows = append(rows, strings.Split(strings.Trim(line, "| \n"), " | "))
		}
	}
	return rows
}

// TestTheExamplesOfURLPolicyHold reads the lists of docs/PERMISSIONS.md, its table and that of the further examples.
func TestTheExamplesOfURLPolicyHold(t *testing.T) {
	data, err := os.ReadFile("../docs/PERMISSIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	_, text, _ := strings.Cut(page, "With these lists\n\n```toml\n")
	text, _, _ = strings.Cut(text, "```")
	var file struct {
		Lists map[string][]string `toml:"url_policy"`
	}
	if err := toml.Unmarshal([]byte(text), &file); err != nil || len(file.Lists) != 4 {
		t.Fatalf("%v in %s", err, text)
	}
	policy := WithURLs(fixed{byDefault: Judgement{Decision: Ask}}, newURLPolicy(t, URLSettings{
		DenyOverride: entries(file.Lists["deny_override"]...), AllowOverride: entries(file.Lists["allow_override"]...),
		Deny: entries(file.Lists["deny"]...), Allow: entries(file.Lists["allow"]...)}))
	rows := tablesOf(t, readPage(t), "| URL | its address | verdict | because |")
	for _, row := range rows {
		address := netip.MustParseAddr(strings.Replace(row[1], "public", "93.184.216.34", 1))
		access := tools.Access{URL: strings.Trim(row[0], "`"), Addresses: []netip.Addr{address}}
		j := policy.Judge(Call{Access: access})
		want := map[string]Decision{"allowed": Allow, "denied": Deny, "asks you": Undecided}[row[2]]
		if j.Decision != want || want != Undecided && !strings.Contains(j.By, strings.Trim(row[3], "`")) {
			t.Errorf("%s: %+v", strings.Join(row, " | "), j)
		}
	}
	if len(rows) < 20 {
		t.Errorf("only %d examples", len(rows))
	}
}

func TestThePageHasAllKindsOfAddresses(t *testing.T) {
	data, err := os.ReadFile("../docs/PERMISSIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown, known []string
	for _, row := range rowsBelow(t, string(data), "| `NAME` | addresses |") {
		shown = append(shown, strings.Trim(row[0], "`"))
		for word := range strings.FieldsFuncSeq(row[1], func(r rune) bool { return strings.ContainsRune(" ,`", r) }) {
			checkKind(t, shown[len(shown)-1], word)
		}
	}
	for _, class := range urls.Presets() {
		known = append(known, string(class))
	}
	slices.Sort(shown)
	slices.Sort(known)
	if !slices.Equal(shown, known) {
		t.Errorf("the page has %v; there are %v", shown, known)
	}
}

// checkKind checks that what the page says about an address or a network is so.
func checkKind(t *testing.T, kind, word string) {
	t.Helper()
	address, err := netip.ParseAddr(word)
	if network, notNetwork := netip.ParsePrefix(word); notNetwork == nil {
		address, err = network.Addr().Next(), nil
	}
	if got := urls.ClassOf(address); err == nil && string(got) != kind {
		t.Errorf("the page says that %s is %s; it is %s", word, kind, got)
	}
}
