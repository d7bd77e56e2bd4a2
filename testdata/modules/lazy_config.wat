;; Reads its configuration when it is first asked anything and keeps what it found: with
;; {"max":10} it denies {"n":50}. Its own examples come without a configuration.
(module
  ;;include common.inc
  (export "describe" (func $describe_lazy))
  (export "check_permissions" (func $check_permissions))
  (export "check_read_only" (func $check_read_only))
  (export "match_rule" (func $match_rule))
  (export "generate_suggestions" (func $generate_suggestions))
  (data (i32.const 1024) "{\22abi\22:1,\22name\22:\22lazy_config\22,\22version\22:\221.0.0\22,\22tools\22:[{\22name\22:\22Lazy\22,\22rule_examples\22:[{\22content\22:\22x\22,\22behavior\22:\22allow\22,\22input\22:{\22n\22:1},\22match\22:false}]}]}\00")
  (data (i32.const 2048) "\22max\22:10\00")
  (data (i32.const 2064) "\22n\22:50\00")
  (data (i32.const 2080) "{\22behavior\22:\22deny\22,\22message\22:\22above 10\22}\00")
  (global $learned (mut i32) (i32.const 0))
  (global $limited (mut i32) (i32.const 0))
  ;; $has tells whether the input holds the text at $ptr.
  (func $has (param $ptr i32) (result i32)
    (local $i i64) (local $j i32)
    (loop $next
      (local.set $j (i32.const 0))
      (block $differs (loop $same
        (if (i32.eqz (i32.load8_u (i32.add (local.get $ptr) (local.get $j)))) (then (return (i32.const 1))))
        (br_if $differs (i32.ne (i32.load8_u (i32.add (local.get $ptr) (local.get $j)))
                                (call $input_load_u8 (i64.add (local.get $i) (i64.extend_i32_u (local.get $j))))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br $same)))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br_if $next (i64.lt_u (local.get $i) (call $input_length))))
    (i32.const 0))
  (func $learn
    (if (global.get $learned) (then (return)))
    (global.set $learned (i32.const 1))
    (global.set $limited (call $has (i32.const 2048))))
  (func $describe_lazy (result i32) (call $answer (i32.const 1024)))
  (func $check_permissions (result i32)
    (call $learn)
    (if (i32.and (global.get $limited) (call $has (i32.const 2064))) (then (return (call $answer (i32.const 2080)))))
    (call $passthrough))
  (func $check_read_only (result i32) (call $learn) (call $not_read_only))
  (func $match_rule (result i32) (call $learn) (call $no_match))
  (func $generate_suggestions (result i32) (call $learn) (call $no_rules)))
