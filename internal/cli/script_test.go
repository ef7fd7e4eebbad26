package cli_test

import (
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/cli"
	"github.com/chibi-host/chibi/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, func() int { return cli.Main(cli.Share(nil)) }, nil) }

// TestScripts runs the stories in testdata, as clitest.Stories says.
func TestScripts(t *testing.T) { clitest.Stories{Root: "../.."}.Run(t) }

// TestTheProgramWithoutEngines runs the stories of testdata/plain, about what this program
// says of shared stores and chibi-cluster does not.
func TestTheProgramWithoutEngines(t *testing.T) {
	stories, err := filepath.Glob("testdata/plain/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	clitest.Stories{Root: "../..", Files: stories}.Run(t)
}
