package instructions_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/instructions"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/google/go-cmp/cmp"
)

// write writes files below a new directory.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := write(t, map[string]string{
		"home/AGENTS.md": "mine", "home/CLAUDE.md": "not this one",
		"root/CLAUDE.md": "of the root", "root/sub/AGENTS.md": "of a folder\n\n", "root/sub/none/x": "",
		"strange/AGENTS.md": "from a stranger", "large/AGENTS.md": strings.Repeat("x", instructions.MaxFile+1),
		"binary/AGENTS.md": "a\x00b", "latin/AGENTS.md": "gr\xfcn", "folder/AGENTS.md/x": "", "empty/AGENTS.md": " \n",
	})
	unapproved := errors.New("not approved")
	var checked []string
	check := func(path string, text []byte, mode fs.FileMode) error {
		checked = append(checked, filepath.Base(filepath.Dir(path))+" "+string(text)+" "+mode.String())
		if strings.Contains(string(text), "stranger") {
			return unapproved
		}
		return nil
	}
	places := []instructions.Place{{Dir: filepath.Join(dir, "home")}}
	for _, folder := range project.Folders(filepath.Join(dir, "root"), filepath.Join(dir, "root/sub/none")) {
		places = append(places, instructions.Place{Dir: folder, Check: check})
	}
	places = append(places, instructions.Place{Dir: filepath.Join(dir, "strange"), Check: check})
	for _, name := range []string{"home", "large", "binary", "latin", "folder", "empty", "missing"} {
		places = append(places, instructions.Place{Dir: filepath.Join(dir, name)})
	}
	files, problems := instructions.Read(places)
	want := "From DIR/home/AGENTS.md:\n\nmine\n\nFrom DIR/root/CLAUDE.md:\n\nof the root\n\n" +
		"From DIR/root/sub/AGENTS.md:\n\nof a folder\n\nFrom DIR/latin/AGENTS.md:\n\ngr\uFFFDn"
	if diff := cmp.Diff(want, strings.ReplaceAll(instructions.Text(files), dir, "DIR")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var said []string
	for _, p := range problems {
		said = append(said, strings.TrimPrefix(p.Path, dir+"/")+": "+p.Err.Error())
	}
	if diff := cmp.Diff([]string{"strange/AGENTS.md: not approved", "large/AGENTS.md: it is larger than 64 KiB",
		"binary/AGENTS.md: it is not text"}, said); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"root of the root -rw-r--r--", "sub of a folder\n\n -rw-r--r--",
		"strange from a stranger -rw-r--r--"}, checked); diff != "" {
		t.Errorf("checked (-want +got):\n%s", diff)
	}
}

func TestAllInstructionsTogetherAreBounded(t *testing.T) {
	dir, places := t.TempDir(), []instructions.Place{}
	for i := range instructions.MaxAll/instructions.MaxFile + 1 {
		sub := filepath.Join(dir, string(rune('a'+i)))
		text := []byte(strings.Repeat("x", instructions.MaxFile))
		if err := errors.Join(os.Mkdir(sub, 0o755), os.WriteFile(filepath.Join(sub, "AGENTS.md"), text, 0o644)); err != nil {
			t.Fatal(err)
		}
		places = append(places, instructions.Place{Dir: sub})
	}
	files, problems := instructions.Read(places)
	if len(files) != len(places)-1 || len(problems) != 1 ||
		problems[0].Err.Error() != "all instructions together are larger than 256 KiB" {
		t.Errorf("%d files, problems %v", len(files), problems)
	}
}
