;; Imports random_get without parameters.
;; expect: load "import wasi_snapshot_preview1.random_get: want"
(module
  (import "wasi_snapshot_preview1" "random_get" (func $lie))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
