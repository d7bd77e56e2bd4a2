;; Sixty functions, each of which calls the next twice: 2^60 calls without a loop.
;; wazero's deadline is looked at in loops only: its host stood still for ever, and
;; with it the collector and the whole process.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  ;;repeat 0 59
  (func $f@i@ (call $f@i+1@) (call $f@i+1@))
  ;;end
  (func $f60)
  (func $check_permissions (result i32)
    (call $f0)
    (call $answer (i32.const 512))))
