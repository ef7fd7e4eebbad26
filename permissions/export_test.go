package permissions

// KnownCategory is for tests that compare the names of rules with the tools that there are.
var KnownCategory = knownCategory
