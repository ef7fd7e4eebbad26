package hookdoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
)

// Overview returns the table of all points, in Markdown.
func Overview() string {
	var b strings.Builder
	b.WriteString("| hook | fires when | mode | answer | may block |\n| --- | --- | --- | --- | --- |\n")
	for _, info := range hookpoints.All() {
		answer, blocks := "none", "no"
		if info.CanChange() {
			answer = code(effects(info))
		}
		if info.CanBlock() {
			blocks = "yes"
		}
		fmt.Fprintf(&b, "| [`%s`](reference/%s#%s) | %s | %s | %s | %s |\n", info.Name, pageOf(info.Group), info.Name,
			info.When, info.Mode, answer, blocks)
	}
	return b.String()
}

// effects lists the fields of an answer that have an effect of their own, besides the text for the
// person, which every answer may have.
func effects(info hookpoints.Info) (names []string) {
	for _, f := range info.Fields {
		if f.Rule != hookpoints.RuleWith && f.Rule != hookpoints.RuleTell {
			names = append(names, f.Name)
		}
	}
	return names
}

// CommonPage is the page of the fields that many points have.
const CommonPage = "hooks-common.md"

// pageOf returns the name of the page of a group.
func pageOf(group hookpoints.Group) string {
	return "hooks-" + strings.ReplaceAll(string(group), " ", "-") + ".md"
}

// Pages returns the texts of the pages below docs/reference, by name, in Markdown without their
// titles.
func Pages() map[string]string {
	pages := map[string]string{CommonPage: commonText()}
	for _, info := range hookpoints.All() {
		name := pageOf(info.Group)
		if pages[name] == "" {
			pages[name] = "[HOOKS.md](../HOOKS.md) explains these hooks. [Common fields](" + CommonPage +
				") has the fields that are in no table here.\n"
		}
		pages[name] += "\n" + Section(info)
	}
	return pages
}

// Section returns the documentation of one point, in Markdown.
func Section(info hookpoints.Info) string {
	var b strings.Builder
	text := fmt.Sprintf("Fires when %s. Mode: %s. JSON Schema: [payload](../schema/%s.payload.json)", info.When, info.Mode,
		info.Name)
	if info.CanChange() {
		text += fmt.Sprintf(", [answer](../schema/%s.answer.json)", info.Name)
	}
	fmt.Fprintf(&b, "## %s\n\n%s\n", info.Name, paragraph(text+"."))
	own, common := divide(hookpoints.Fields(info.Payload), commonPayload())
	b.WriteString("\n" + lead("Payload", common, own))
	if len(own) > 0 {
		b.WriteString("\n" + payloadTable(own))
	}
	if info.CanChange() {
		own, common := divide(hookpoints.Fields(info.Answer), commonAnswer())
		b.WriteString("\n" + lead("Answer", common, own))
		if len(own) > 0 {
			b.WriteString("\n" + answerTable(own))
		}
	}
	fmt.Fprintf(&b, "\nA payload, for example:\n\n```json\n%s\n```\n", strictjson.Indented(Example(info)))
	return b.String()
}

// lead begins the description of a payload or an answer: it names the common fields.
func lead(what string, common, own []hookpoints.Field) string {
	text := what + ": " + code(namesOf(common))
	switch {
	case len(own) == 0:
		text += "."
	case len(common) > 0:
		text += ", and:"
	}
	return paragraph(text) + "\n"
}

// paragraph wraps a text at 120 columns.
func paragraph(text string) string { return term.Fill(strings.TrimSuffix(text, " "), 120, 0, 0) }

func payloadTable(fields []hookpoints.Field) string {
	var b strings.Builder
	b.WriteString("| field | type | meaning |\n| --- | --- | --- |\n")
	for _, f := range fields {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, payloadType(f), f.Doc)
	}
	return b.String()
}

func answerTable(fields []hookpoints.Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| field | type | meaning | [rule](%s#rules) |\n| --- | --- | --- | --- |\n", CommonPage)
	for _, f := range fields {
		rule := string(f.Rule)
		if f.Rule == hookpoints.RuleWith {
			rule += " " + withNames(f)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, f.Doc, rule)
	}
	return b.String()
}

// commonText returns the page of the fields that many points have.
func commonText() string {
	var b strings.Builder
	b.WriteString("These fields mean the same at every hook that names them on its page.\n\n## In payloads\n\n")
	b.WriteString(payloadTable(commonPayload()))
	b.WriteString("\n## In answers\n\n" + answerTable(commonAnswer()))
	b.WriteString("\n" + paragraph("Where a plugin can block, `block`, `denied` and `\"decision\": \"deny\"` all refuse, "+
		"and `message` and `reason` both say why: see [Blocking](../HOOKS.md#blocking).") + "\n")
	b.WriteString("\n## Rules\n\nThe rule of a field says how chibi combines the values of several plugins.\n\n" +
		"| rule | the value that counts |\n| --- | --- |\n")
	for _, rule := range usedRules() {
		fmt.Fprintf(&b, "| %s | %s |\n", rule, rule.Meaning())
	}
	b.WriteString("| with `FIELD` | the value of the plugin whose `FIELD` counts |\n")
	return b.String()
}

// usedRules lists the rules of all answers, in the order in which the points use them.
func usedRules() (rules []hookpoints.Rule) {
	for _, info := range hookpoints.All() {
		for _, f := range info.Fields {
			if f.Rule != hookpoints.RuleWith && !slices.Contains(rules, f.Rule) {
				rules = append(rules, f.Rule)
			}
		}
	}
	return rules
}

func commonPayload() []hookpoints.Field {
	return common(func(info hookpoints.Info) []hookpoints.Field { return hookpoints.Fields(info.Payload) })
}

func commonAnswer() []hookpoints.Field {
	return common(func(info hookpoints.Info) []hookpoints.Field { return hookpoints.Fields(info.Answer) })
}

// common lists the fields that three or more points have, with the same description.
func common(fieldsOf func(hookpoints.Info) []hookpoints.Field) (list []hookpoints.Field) {
	count := map[hookpoints.Field]int{}
	for _, info := range hookpoints.All() {
		for _, f := range fieldsOf(info) {
			if count[f]++; count[f] == 3 {
				list = append(list, f)
			}
		}
	}
	return list
}

// divide splits the fields of a point into its own and those that are common.
func divide(fields, common []hookpoints.Field) (own, shared []hookpoints.Field) {
	for _, f := range fields {
		if slices.Contains(common, f) {
			shared = append(shared, f)
		} else {
			own = append(own, f)
		}
	}
	return own, shared
}

// code lists names as code.
func code(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
