;; The explosion through a table: no call names the function it calls.
;; A meter that follows calls, and not what runs, sees nothing.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (type $void (func))
  (table $t 61 funcref)
  (elem (table $t) (i32.const 0) func
  ;;repeat 0 60
    $f@i@
  ;;end
  )
  ;;repeat 0 59
  (func $f@i@
    (call_indirect $t (type $void) (i32.const @i+1@))
    (call_indirect $t (type $void) (i32.const @i+1@)))
  ;;end
  (func $f60)
  (func $check_permissions (result i32)
    (call $f0)
    (call $answer (i32.const 512))))
