;; Sets an output that allows, and then an error, and returns 0. Error beats output.
;; expect: check_permissions code "seen 0"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22behavior\22:\22allow\22}\00")
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 1024)))
    (drop (call $fail (i32.const 672)))
    (i32.const 0)))
