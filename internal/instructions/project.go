package instructions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
)

// Of returns the instructions of a person, of chibi's home and of a project as one text. It
// says which are not used: in one line those that wait for an approval.
func Of(p project.Project, home string, notice func(string)) string {
	files, problems := Read(places(p, home))
	var names []string
	for _, problem := range problems {
		if !errors.Is(problem.Err, trust.ErrUntrusted) {
			notice(fmt.Sprintf("the instructions in %s are not used: %v", term.Name(problem.Path), problem.Err))
			continue
		}
		names = append(names, project.UntrustedFile(problem.Path, problem.Err))
	}
	if len(names) > 0 {
		notice(fmt.Sprintf("instructions that came with this directory are not used, as they are not approved: "+
			"%s; see what they are and approve them: chibi trust", strings.Join(names, ", ")))
	}
	return Text(files)
}

// places lists where instructions are: the person's own, then the instructions of the project from its
// root down to the current directory.
func places(p project.Project, home string) (list []Place) {
	if p.User != "" {
		list = append(list, Place{Dir: p.User})
	}
	list = append(list, Place{Dir: home})
	if p.Own {
		return list
	}
	check := p.ApprovedContent(home)
	for _, dir := range p.Folders() {
		list = append(list, Place{Dir: dir, Check: check})
	}
	return list
}

// Look reads the instructions of a project that an approval covers.
func Look(p project.Project) (files []trust.Seen) {
	for _, dir := range p.Folders() {
		path, found := Find(dir)
		if !found {
			continue
		}
		if f, err := trust.Read(p.Dir, p.Below(path)); err == nil {
			files = append(files, f)
		}
	}
	return files
}
