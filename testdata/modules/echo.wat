;; A complete tool that shows what it was asked: the envelope comes back, as the
;; reason of a passthrough, as the content of a suggestion, as the title of the
;; call; match_rule fails with it.
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_permissions" (func $check_permissions))
  (export "check_read_only" (func $check_read_only))
  (export "match_rule" (func $match_rule))
  (export "generate_suggestions" (func $generate_suggestions))
  (export "describe_call" (func $describe_call))
  (data (i32.const 1024) "{\22behavior\22:\22passthrough\22,\22reason\22:\22\00")
  (data (i32.const 1088) "\22}\00")
  (data (i32.const 1096) "{\22rules\22:[{\22content\22:\22\00")
  (data (i32.const 1136) "\22}]}\00")
  (data (i32.const 1144) "{\22title\22:\22\00")
  (data (i32.const 1160) "{\22read_only\22:false,\22reason\22:\22\00")
  ;; $append puts the text at $ptr after what is at $at, up to its NUL, and returns the new end.
  (func $append (param $at i32) (param $ptr i32) (result i32)
    (local $c i32)
    (block $done (loop $more
      (local.set $c (i32.load8_u (local.get $ptr)))
      (br_if $done (i32.eqz (local.get $c)))
      (i32.store8 (local.get $at) (local.get $c))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $ptr (i32.add (local.get $ptr) (i32.const 1)))
      (br $more)))
    (local.get $at))
  ;; $append_input puts the input there, quotes and backslashes escaped.
  (func $append_input (param $at i32) (result i32)
    (local $c i32) (local $i i64)
    (block $done (loop $more
      (br_if $done (i64.ge_u (local.get $i) (call $input_length)))
      (local.set $c (call $input_load_u8 (local.get $i)))
      (if (i32.or (i32.eq (local.get $c) (i32.const 34)) (i32.eq (local.get $c) (i32.const 92)))
        (then (i32.store8 (local.get $at) (i32.const 92))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))))
      (i32.store8 (local.get $at) (local.get $c))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br $more)))
    (local.get $at))
  (func $wrap (param $before i32) (param $after i32) (result i32)
    (i32.store8
      (call $append (call $append_input (call $append (i32.const 8192) (local.get $before))) (local.get $after))
      (i32.const 0))
    (call $answer (i32.const 8192)))
  (func $check_permissions (result i32) (call $wrap (i32.const 1024) (i32.const 1088)))
  (func $check_read_only (result i32) (call $wrap (i32.const 1160) (i32.const 1088)))
  (func $generate_suggestions (result i32) (call $wrap (i32.const 1096) (i32.const 1136)))
  (func $describe_call (result i32) (call $wrap (i32.const 1144) (i32.const 1088)))
  (func $match_rule (result i32)
    (call $error_set (call $input_offset))
    (i32.const 1)))
