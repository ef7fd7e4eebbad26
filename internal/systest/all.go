package systest

import "os"

// All reports whether tests try each case where they else try some of each kind: with
// CHIBI_TEST_ALL=1 in the environment, which .ci/long sets.
func All() bool { return os.Getenv("CHIBI_TEST_ALL") != "" }
