;; A function of fifty thousand locals, as many as the engine takes, that calls itself:
;; its frame is 400 KB, and a stack counted in calls is not bounded by them.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $wide (param $n i64) (result i64)
  ;;repeat 1 1000
    (local i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64)
  ;;end
    (i64.add (call $wide (i64.add (local.get $n) (i64.const 1))) (local.get 48000)))
  (func $check_permissions (result i32)
    (drop (call $wide (i64.const 0)))
    (i32.const 0)))
