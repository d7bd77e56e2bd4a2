;; Imports the same function a thousand times.
;; expect: check_permissions ok
(module
  ;;repeat 1 1000
  (import "extism:host/env" "length" (func $length@i@ (param i64) (result i64)))
  ;;end
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
