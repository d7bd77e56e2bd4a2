;; Imports its own verb from a module of its own name.
;; expect: load "import import_self.check_permissions: a tool module may import only"
(module
  (import "import_self" "check_permissions" (func $lie (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
