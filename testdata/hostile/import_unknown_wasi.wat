;; Imports a function that WASI does not have.
;; expect: load "import wasi_snapshot_preview1.proc_exec: this host has no such function"
(module
  (import "wasi_snapshot_preview1" "proc_exec" (func $lie))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
