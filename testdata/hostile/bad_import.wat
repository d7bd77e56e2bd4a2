;; Wants a function of the host that tool modules do not get.
;; expect: load "import env.system: a tool module may import only extism:host/env and wasi_snapshot_preview1"
(module
  (import "env" "system" (func $run (param i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $run (i32.const 0))))
