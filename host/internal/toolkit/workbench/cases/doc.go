// Package cases reads the test cases of a tool module from a YAML file beside it, runs them,
// and shows the differences.
//
// A file is a list of cases, each a call and the module's expected answers:
//
//	# deploy.cases.yaml, or cases.yaml
//	- name: production is asked about
//	  input: {operation: deploy, target: prod/web}
//	  check: {behavior: ask, bypass_immune: true}
//	  read_only: false
//	  match:
//	    - {behavior: allow, rules: [staging/*, prod/*], matched: [1]}
//	  suggestions: []
//	  describe: {action: "tool:Deploy:deploy prod/web"}
//
// Only members named in a case are compared, and each as a whole: a list or object of an answer
// must be equal. For an expected null a member must be absent or empty. RATIONALE.md, "How is a
// tool tested before anybody loads it?".
package cases
