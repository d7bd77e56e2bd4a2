// Package cases reads the test cases of a tool module from a YAML file beside it,
// runs them, and says what differs.
//
// A file is a list of cases, each a call and what the module should answer to it:
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
// What a case does not name is not compared; what it names is compared whole: a
// list or object of an answer must be equal. A member that should be null must be
// absent or empty.
package cases
