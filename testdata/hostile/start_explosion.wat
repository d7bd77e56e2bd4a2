;; The explosion in its start function.
;; expect: any fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (start $f0)
  ;;repeat 0 59
  (func $f@i@ (call $f@i+1@) (call $f@i+1@))
  ;;end
  (func $f60)
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
