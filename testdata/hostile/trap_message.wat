;; Stores a message, then traps.
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "bad\1b[31m luck\0awith lines\00")
  (func $check_permissions (result i32)
    (call $error_set (call $text (i32.const 1024)))
    unreachable))
