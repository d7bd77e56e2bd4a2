;; A table that begins with 2^32-1 entries: 32 GiB of the host's heap when an
;; instance is made.
;; expect: load "table_entries"
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 4294967295 funcref)
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
