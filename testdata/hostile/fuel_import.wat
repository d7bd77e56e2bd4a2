;; Imports the host's fuel.
;; unchecked
;; expect: load "import callgate:fuel.refill: a tool module may import only"
(module
  (import "callgate:fuel" "refill" (func $refill (result i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $refill))
    (i32.const 0)))
