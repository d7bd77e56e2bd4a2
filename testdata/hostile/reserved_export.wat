;; Exports a name of the host's.
;; expect: load "names with \"callgate:\" are the host's own"
(module
  ;;include common.inc
  ;;include verbs.inc
  (global $g (export "callgate:fuel") (mut i64) (i64.const 0))
  (func $check_permissions (result i32)
    (i32.const 0)))
