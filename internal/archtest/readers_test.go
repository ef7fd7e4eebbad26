package archtest

import (
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// reads lists what brings bytes into the program: functions by package, and
// methods by name whatever they belong to.
var reads = map[string][]string{
	"io":            {"ReadAll", "ReadFull", "ReadAtLeast", "Copy", "CopyN", "CopyBuffer"},
	"io/fs":         {"ReadFile", "ReadDir", "WalkDir", "Glob"},
	"os":            {"ReadFile", "Open", "OpenFile", "ReadDir", "OpenRoot", "OpenInRoot"},
	"path/filepath": {"WalkDir", "Walk", "Glob"},
	"bufio":         {"NewReader", "NewReaderSize", "NewScanner", "NewReadWriter"},
	"os/exec":       {"Command", "CommandContext"},
	"net/http":      {"Get", "Post", "PostForm", "Head", "MaxBytesReader"},

	"github.com/pelletier/go-toml/v2": {"Unmarshal", "NewDecoder"},
	"github.com/goccy/go-yaml":        {"Unmarshal", "NewDecoder", "UnmarshalWithOptions"},

	module + "internal/disk":     {"ReadFile", "ReadDerived", "ReadPrivate", "OpenRegular"},
	module + "internal/jsonfile": {"Read", "Update", "Rewrite"},
	module + "internal/jsonl":    {"Forward", "ForwardIn", "Backward", "BackwardIn"},
}

var readingMethods = []string{
	"Read", "ReadAt", "ReadFrom", "ReadByte", "ReadBytes", "ReadLine", "ReadRune", "ReadSlice", "ReadString", "Scan", "Do",
	"StdoutPipe", "StderrPipe",
	"Open", "OpenFile", "ReadFile", "ReadDir", "NextRow",
}

// What a row of the table cannot say.
const (
	ownBytes     = "the program's own bytes"
	callersBound = "the caller's bound"
	watchedFiles = "files that a command in the sandbox must not change"
)

// boundOf names, for each function that reads, the row of the table of bounds
// in docs/operating/RELIABILITY.md that says how much it reads at most, or why it needs none.
var boundOf = map[string]string{
	"agent.toolCall.stub":                      "a tool's output in the cache",
	"cache.Files.Open":                         "a tool's output in the cache",
	"internal/agents/hooks.contentOf":          "a file whose content Cursor's beforeReadFile hooks get",
	"internal/agents/drive.Serving":            ownBytes,
	"internal/agents/bridge.scratch.run":       ownBytes,
	"internal/agents/bridge.scratch.judge":     ownBytes,
	"internal/agents/drive.Serve":              "what an agent asks the scripted model of `chibi bridge verify`",
	"cache.over.Open":                          callersBound,
	"cache.Files.entry":                        "the description of a cache entry",
	"cache.Files.index":                        "the description of a cache entry",
	"cache.directory.names":                    "directories",
	"cache.Files.keep":                         "a tool's output in the cache",
	"cache.openDirect":                         "a tool's output in the cache",
	"cache.Shared.openDirect":                  "a tool's output in a shared store",
	"internal/storage.Place.Contents":          callersBound,
	"internal/app.openStore":                   callersBound,
	"internal/storage.Place.open":              "a record, a document or a message of a shared store",
	"cache.Files.take":                         "a tool's output in the cache",
	"cache.Verify":                             "a tool's output in the cache",
	"cache.checkedReader.Read":                 callersBound,
	"cache.Shared.Open":                        "a tool's output in a shared store",
	"cache.remote.open":                        "a tool's output in a shared store",
	"cache.remote.put":                         ownBytes,
	"cluster/natsstore.credentials":            "credentials and certificates of a store",
	"cluster/natsstore.readCA":                 "credentials and certificates of a store",
	"cluster/pgstore.target.certificates":      "credentials and certificates of a store",
	"cluster/natsstore.syncAlways":             "the answer of a NATS server's monitoring port",
	"cluster/natsstore.pieces.upload":          callersBound,
	"cluster/pgstore.passwordFor":              "credentials and certificates of a store",
	"cluster/pgstore.readRoots":                "credentials and certificates of a store",
	"cluster/pgstore.receive":                  "an answer of a PostgreSQL server",
	"cluster/pgstore.upload.read":              callersBound,
	"cache.Reader.Preview":                     callersBound,
	"cache.Reader.Tail":                        callersBound,
	"cache.Reader.tailFrom":                    callersBound,
	"internal/cli/output.Printer.AnswerLarge":  "a tool's output in the cache",
	"internal/cli/cache.show":                  "a tool's output in the cache",
	"tools/builtin.Files.open":                 "a tool's output in the cache",
	"cache.lineReader.next":                    callersBound,
	"cache.lineReader.skip":                    callersBound,
	"cache.newLineReader":                      callersBound,
	"cache.scan":                               "a tool's output in the cache",
	"internal/cli/complete.pluginNames":        "directories",
	"internal/cli/doctor.readableKeys":         "configuration files",
	"internal/cli/output.Printer.AnswerFile":   "a tool's output in the cache",
	"internal/cli/complete.printScript":        ownBytes,
	"internal/cli/hook.dataText":               "a payload for `chibi hook fire`",
	"internal/cli/command.ReadAll":             "a piped prompt",
	"internal/cli/command.readLine":            "a typed line",
	"internal/agents/theirs.loader.keep":       "`agent-hooks.json`",
	"internal/agents/theirs.loader.recognise":  "`agent-hooks.json`",
	"internal/agents/theirs.remember":          "`agent-hooks.json`",
	"internal/app.noticeOnce":                  "`said.json`",
	"internal/approved.Store.Approve":          "`mcp-approved.json`",
	"internal/approved.Store.find":             "`mcp-approved.json`",
	"internal/app.ConfigFile.Rewrite":          "configuration files",
	"internal/cli/plugins.caseFiles":           "directories",
	"internal/cli/chat.Hold":                   "a typed line",
	"internal/agents/theirs.reading.isTrusted": "the directories that another agent trusts",

	"internal/cli/operation.PromptText": "texts of a context: system prompt, summary, goals, todos, reflection",

	"internal/cli/plugins.stamp":                             "directories",
	"internal/cli/plugins.showExecutable":                    "a plugin's file that is described before it runs",
	"internal/cli/doctor.writers.walk":                       "directories",
	"internal/cli/uninstall.plan.addFiles":                   "directories",
	"internal/cli/uninstall.plan.addProcesses":               "directories",
	"internal/cli/uninstall.removable":                       "directories",
	"internal/mcpfile.Read":                                  "`.mcp.json` of a project",
	"internal/agents/hooks.readEnvFile":                      "variables that a hook leaves for commands",
	"internal/agents/theirs.Poster.Post":                     "the answer of a hook that is a URL",
	"internal/foreign.Read":                                  "a settings file of a coding agent",
	"internal/foreign.expand":                                "directories",
	"internal/mcplists.Open":                                 "`mcp-tools.json`",
	"internal/mcplists.Memory.Save":                          "`mcp-tools.json`",
	"internal/config.readSource":                             "configuration files",
	"contexts/internal/homes.windowFile.begins":              "a context's transcript or window",
	"contexts/internal/homes.viewFile.endsWith":              "a context's transcript or window",
	"contexts/internal/homes.sharedHome.readUnsent":          "a file in `unsent/`",
	"contexts/internal/homes.sharedHome.unsentFiles":         "directories",
	"contexts/internal/homes.sharedInbox.readLarge":          "a record, a document or a message of a shared store",
	"contexts/internal/homes.sharedNames.LastUse":            "a record, a document or a message of a shared store",
	"contexts/internal/homes.tenure.checkUnmarked":           "a record, a document or a message of a shared store",
	"contexts/internal/homes.sharedRegistry.here":            "state, manifests, holders of locks",
	"contexts/internal/homes.fileContext.lastOf":             "a context's transcript or window",
	"contexts/internal/homes.fileTranscript.migrateMessages": "`context.json` of the original's first versions",
	"contexts/contexttest.machine.repairs":                   ownBytes,
	"contexts/internal/homes.logPart.each":                   "a record, a document or a message of a shared store",
	"contexts/internal/homes.fileMender.linesAside":          "a file that damaged lines are taken out of",
	"contexts/internal/homes.fileInbox.read":                 "the inbox",
	"contexts/internal/homes.fileContext.readMeta":           "state, manifests, holders of locks",
	"contexts/internal/homes.windowFile.read":                "a context's transcript or window",
	"contexts/internal/homes.fileUpkeep.lastTidied":          "state, manifests, holders of locks",
	"contexts/internal/homes.fileTexts.ChangeText":           "configuration files",
	"contexts/internal/homes.fileNames.Names":                "directories",
	"contexts/internal/homes.fileHome.trash":                 "directories",

	"contexts/internal/homes.fileHome.read": "texts of a context: system prompt, summary, goals, todos, reflection",

	"contexts/internal/homes.fileRegistry.State":  "state, manifests, holders of locks",
	"contexts/internal/homes.fileRegistry.update": "state, manifests, holders of locks",
	"contexts/internal/homes.fileRegistry.inText": "state, manifests, holders of locks",
	"contexts/internal/homes.readHolder":          "state, manifests, holders of locks",
	"examples/plugins.All":                        ownBytes,
	"examples/recipes.All":                        ownBytes,
	"internal/disk.extend":                        callersBound,
	"internal/disk.CopyTree":                      callersBound,
	"internal/disk.OS.ReadDir":                    callersBound,
	"internal/disk.OS.SyncDir":                    callersBound,
	"internal/disk.OpenBeneath":                   callersBound,
	"internal/disk.OwnTemps":                      "directories",
	"internal/disk.ReadFile":                      callersBound,
	"internal/disk.RemoveIn":                      "directories",
	"internal/disk.RemoveTemp":                    "directories",
	"internal/disk.Temps":                         "directories",
	"internal/disk.copyFile":                      callersBound,
	"internal/disk.openRegular":                   callersBound,
	"internal/disk.readAll":                       callersBound,
	"internal/disk.shared.hold":                   callersBound,
	"internal/disk.createTemp":                    callersBound,
	"internal/disk/disktest.file.Read":            ownBytes,
	"internal/term/editor.Editor.lines":           "a typed line",
	"internal/term/editor.keyboard.Read":          "a typed line",
	"internal/term/question.dialog.line":          "a typed line",
	"internal/term/typing.Reader.Read":            "a typed line",
	"internal/agentdoc.Generate":                  ownBytes,
	"internal/agents.Bridged.Seen":                ownBytes,
	"internal/agentdoc.GenerateBridge":            ownBytes,
	"internal/agentdoc.provenance":                ownBytes,
	"internal/hookdoc/generate.Files":             ownBytes,
	"internal/keydoc.Generate":                    ownBytes,
	"internal/sandbox.arrives":                    "a system call of a confined command",
	"internal/sandbox.identityOf":                 "a system call of a confined command",
	"internal/sandbox.unable":                     "a system call of a confined command",
	"internal/schemas.read":                       "`schemas.json`",
	"internal/schemas.mayBlock":                   "the files of a plugin that failed at `--schema`",
	"internal/schemas.search.in":                  "the files of a plugin that failed at `--schema`",
	"internal/fileid.Folder.add":                  "directories",
	"internal/disk.ReadDerived":                   callersBound,
	"internal/workbench/installed.Change":         "`installed.json`",
	"internal/workbench/installed.Hash":           "directories",
	"tools/mcp/oauth.attempt.ask":                 "the answer of a login server",
	"tools/mcp/oauth.Logins.put":                  "`mcp-tokens.json`",
	"tools/mcp/oauth.Logins.find":                 "`mcp-tokens.json`",
	"tools/mcp/oauth.Logins.change":               "`mcp-tokens.json`",
	"tools/mcp/oauth.Logins.Logout":               "`mcp-tokens.json`",
	"tools/mcp/oauth/oauthtest.issuer.register":   ownBytes,
	"tools/mcp/oauth/oauthtest.resource.guard":    ownBytes,
	"tools/mcp/internal/web.Body.Read":            "an answer of an MCP server with a URL",
	"internal/workbench/installed.Read":           "`installed.json`",
	"internal/workbench/installed.add":            "files of an installed plugin",
	"internal/srcdoc.Fields":                      ownBytes,
	"internal/jsonfile.File.read":                 callersBound,
	"internal/jsonfile.File.Patch":                callersBound,
	"internal/jsonl.Backward":                     callersBound,
	"internal/jsonl.Forward":                      callersBound,
	"internal/jsonl.ForwardIn":                    callersBound,
	"internal/jsonl.LineAt":                       callersBound,
	"internal/jsonl.Repair":                       callersBound,
	"internal/jsonl.backward":                     callersBound,
	"internal/jsonl.lastNewline":                  callersBound,
	"internal/jsonl.readLine":                     callersBound,
	"internal/workbench/cases.Read":               "test cases of a plugin",
	"internal/workbench/check.Report.interpreter": "the first line of a script",
	"internal/workbench/scratch.readNames":        "directories",
	"internal/terminaltest.New":                   ownBytes,
	"internal/terminaltest.Person.Sees":           ownBytes,
	"internal/trace.Create":                       ownBytes,
	"internal/trace.Read":                         "a trace",
	"internal/trace.ReadFile":                     "a trace",
	"internal/baseline.taking.file":               watchedFiles,
	"internal/baseline.read":                      watchedFiles,
	"internal/sandbox.findLeft":                   "directories",
	"internal/sandbox.isLeft":                     "the state of a process",
	"internal/trust.Read":                         "files of a project that are compared with their approval",
	"internal/trust.Store.List":                   "`trust.json`",
	"internal/trust.Store.change":                 "`trust.json`",
	"internal/trust.tree.directory":               "directories",
	"tools/coding/fetch.response.take":            "the answer to `fetch_url`",
	"llm/demo.Handler":                            ownBytes,
	"llm/openai.errorBody":                        "the body of a server's error",
	"llm/openai.Client.post":                      "headers of a server",

	"llm/openai.drain": "data after the end of an answer, and answers to `doctor --online`",

	"llm/openai.events.readLine":                  "a model's answer as a stream",
	"llm/openai.reader.readStream":                "a model's answer as a stream",
	"llm/openai.patientReader.Read":               "a model's answer as a stream",
	"llm/openai.reader.readWhole":                 "a model's answer in one piece",
	"internal/keeper.readFrame":                   "messages between a keeper and its clients",
	"internal/keeper.readLine":                    "messages between a keeper and its clients",
	"internal/keeper.newLink":                     "messages between a keeper and its clients",
	"internal/keeper.Stop":                        "messages between a keeper and its clients",
	"plugin/process.firstLine":                    "the first line of a script",
	"internal/workbench/scaffold.Helper":          ownBytes,
	"plugin/serve.Plugin.once":                    "a request to a plugin in Go (`plugin/serve`)",
	"plugin/serve.Plugin.stay":                    "a request to a plugin in Go (`plugin/serve`)",
	"plugin/resident.conn.open":                   "a line of a process that stays: a resident plugin",
	"plugin/resident.readLong":                    "a line of a process that stays: a resident plugin",
	"plugin/resident.shorten":                     "a line of a process that stays: a resident plugin",
	"plugin/process.signalSession":                "directories",
	"internal/jobs.all":                           "directories",
	"internal/jobs.read":                          "the kernel's data about a process",
	"plugin/process.readPipe":                     "a plugin's standard output",
	"plugin/kodelet.Dir.entries":                  "directories",
	"plugin/kodelet.PluginDirs":                   "directories",
	"plugin/native.entryNames":                    "directories",
	"plugin/native.isScript":                      "the first line of a script",
	"internal/instructions.Place.read":            "instructions",
	"internal/recipes.decode":                     "a recipe",
	"internal/recipes.Library.builtin":            ownBytes,
	"internal/recipes.names":                      "directories",
	"internal/recipes.readText":                   "a recipe",
	"contexts/internal/homes.copies.send":         "directories",
	"contexts/internal/homes.copies.sendFile":     "lines that plugins put into `inbox.jsonl`",
	"contexts/internal/homes.Layout.Directories":  "directories",
	"internal/private.in":                         "directories",
	"internal/disk.Dir.Handle":                    callersBound,
	"internal/disk.Dir.open":                      callersBound,
	"internal/disk.OpenDir":                       callersBound,
	"internal/disk.inDir.OpenFile":                callersBound,
	"tools/coding.Config.prepareIn":               "a file that `file_edit` changes",
	"tools/coding.Config.present":                 "a file that is compared with its new content",
	"tools/summarize.readAll":                     "the input of `summarize_content`",
	"tools/summarize.cached.read":                 "the input of `summarize_content`",
	"tools/coding.reading.in":                     "a file that `read_file` shows",
	"internal/disk.entriesOf":                     callersBound,
	"internal/disk.opened.Read":                   callersBound,
	"tools/coding.grepper.search":                 "the files that `grep_files` searches",
	"tools/coding.pieces.fill":                    "the files that `grep_files` searches",
	"tools/coding.readRules":                      "a file such as .gitignore",
	"tools/coding.walked.readIgnored":             "a file such as .gitignore",
	"tools/coding.lineReader.next":                "a file that `read_file` shows",
	"tools/coding.reading.read":                   "a file that `read_file` shows",
	"internal/app.stampOf":                        "directories",
	"internal/app.LastBridged":                    ownBytes,
	"internal/agents/bridge.editing.tellServer":   ownBytes,
	"internal/agents/carrier.File.Text":           ownBytes,
	"internal/cli/bridge.shownOf":                 ownBytes, // of the tables of agents
	"internal/cli/bridge.shown.String":            ownBytes,
	"internal/agents/bridge.Host.ServeLines":      "an agent's event",
	"internal/agents/bridge.readAll":              "an agent's event",
	"internal/agents/bridge.Installer.edit":       ownBytes,
	"internal/agents/bridge.receiptsOf":           ownBytes,
	"internal/agents/bridge.Installer.sessionsOf": "directories",
	"internal/agents/bridge.askedSessions":        "directories",
	"internal/agents/bridge.readSettings":         "a settings file of an agent that `chibi bridge` changes",
	"internal/agents/bridge.forgetOldSessions":    ownBytes,
	"internal/agents/bridge.removeDirs":           "directories",
	"internal/agents/bridge.teller.unsaid":        ownBytes,
	"internal/agents/bridge.run.state":            "variables and answers that hooks leave in another agent's session",
	"internal/agents/bridge.run.change":           "variables and answers that hooks leave in another agent's session",
	"internal/agents/bridge.Finish":               "variables and answers that hooks leave in another agent's session",
	"internal/agents/bridge.countBehind":          "variables and answers that hooks leave in another agent's session",
	"internal/agents/bridge.lastEvent":            ownBytes,
	"internal/agents/hooks.Memory.read":           callersBound,
	"internal/trace.lastLines":                    "the end of a bridged session's trace",
	"internal/mcpserve.ReadToken":                 "the token of `chibi mcp serve --http`",
	"internal/mcpserve.Server.Lines":              "a message of an MCP client",
	"internal/mcpserve.filter.line":               "a message of an MCP client",
	"tools/mcp.stdio.next":                        "a message of an MCP server",
	"tools/mcp.wire.Read":                         "a message of an MCP server",

	"contexts/internal/statetext.End":                     "state, manifests, holders of locks",
	"contexts/internal/statetext.Find":                    "state, manifests, holders of locks",
	"contexts/internal/statetext.scan.fill":               "state, manifests, holders of locks",
	"contexts/internal/transcript.Log.Snapshot":           "a context's transcript or window",
	"contexts/internal/transcript.Log.finishRotation":     "state, manifests, holders of locks",
	"contexts/internal/transcript.Log.readManifest":       "state, manifests, holders of locks",
	"contexts/internal/transcript.Place.measure":          "a context's transcript or window",
	"contexts/internal/transcript.Place.partitionFiles":   "directories",
	"contexts/internal/transcript.Place.pendingPartition": "state, manifests, holders of locks",
	"contexts/internal/transcript.Segment.Backward":       "a context's transcript or window",
	"contexts/internal/transcript.Segment.Forward":        "a context's transcript or window",
}

// TestEveryReaderOfForeignBytesHasABound finds the functions that read, and
// checks that the table of bounds in docs/operating/RELIABILITY.md has a row for each.
func TestEveryReaderOfForeignBytesHasABound(t *testing.T) {
	rows := boundRows(t)
	found := readers(t)
	for name, lines := range found {
		row := boundOf[name]
		if row == "" {
			t.Errorf("%s reads (%s): give it a bound, and add it to boundOf with its row of docs/operating/RELIABILITY.md", name,
				strings.Join(lines, ", "))
		} else if row != ownBytes && row != callersBound && !slices.Contains(rows, row) {
			t.Errorf("%s: docs/operating/RELIABILITY.md has no row %q in its table of bounds", name, row)
		}
	}
	for name := range boundOf {
		if found[name] == nil {
			t.Errorf("%s reads nothing any more; remove it from boundOf", name)
		}
	}
}

// boundRows lists the first cells of the table of bounds, and checks that no cell is empty.
func boundRows(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operating/RELIABILITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| what is read | bound | beyond it |\n| --- | --- | --- |\n")
	var rows []string
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if len(cells) != 3 || slices.Contains(cells, "") {
			t.Errorf("docs/operating/RELIABILITY.md: a row needs three cells: %s", line)
		}
		rows = append(rows, cells[0])
	}
	if len(rows) < 20 {
		t.Fatalf("only %d rows of bounds found in docs/operating/RELIABILITY.md", len(rows))
	}
	return rows
}

// readers lists the functions that read, with the lines where they do.
func readers(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, s := range sources(t) {
		if s.in("cache/cachetest", "store/storetest", "cluster/internal/natstest", "cluster/internal/pgtest") {
			continue
		}
		for _, decl := range s.syntax.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := s.pkg + "." + functionName(f)
			ast.Inspect(f, func(node ast.Node) bool {
				if selector, ok := node.(*ast.SelectorExpr); ok && s.readsBy(selector) {
					found[name] = append(found[name], s.line(node)+" "+selector.Sel.Name)
				}
				return true
			})
		}
	}
	return found
}

func (s source) readsBy(selector *ast.SelectorExpr) bool {
	if pkg, imported := s.packageOf(selector); imported {
		return slices.Contains(reads[pkg], selector.Sel.Name)
	}
	return slices.Contains(readingMethods, selector.Sel.Name)
}
