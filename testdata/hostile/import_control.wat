;; Imports by a name made of escape sequences and line feeds, for whoever reads the error.
;; expect: load "a tool module may import only"
(module
  (import "env\1b[2J\0d\0aimport ok" "system\e2\80\ae" (func $lie))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
