;; Seventeen tables: one more than there may be. Each could be grown to its own limit.
;; expect: load "limit tables: 17, at most 16"
(module
  ;;include common.inc
  ;;include verbs.inc
  ;;repeat 1 17
  (table $t@i@ 1 funcref)
  ;;end
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
