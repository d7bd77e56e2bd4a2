;; An output of exactly as many bytes as it may have, all of them zero: valid UTF-8, and
;; no JSON. The sandbox passes it on, the catalogue must refuse it.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $output_set (call $alloc (i64.const 1048576)) (i64.const 1048576))
    (i32.const 0)))
