;; Reads the configuration while it starts: there is none yet, and what it concluded would
;; hold for all calls.
;; expect: any trap "the configuration belongs to a call"
(module
  (import "extism:host/env" "config_get" (func $config_get (param i64) (result i64)))
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "max\00")
  (global $limit (mut i64) (i64.const 0))
  (func (export "_initialize") (global.set $limit (call $config_get (call $text (i32.const 1024)))))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
