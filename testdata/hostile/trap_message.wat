;; Stores a message, then traps.
;; expect: check_permissions trap "unreachable: bad [31m luck with lines"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "bad\1b[31m luck\0awith lines\00")
  (func $check_permissions (result i32)
    (call $error_set (call $text (i32.const 1024)))
    unreachable))
