;; Judges calls of a tool that brings services to their stages: a whole tool module by
;; Callgate's docs/abi.md alone, without an SDK.
;;
;;   wat2wasm deploy.wat -o deploy.wasm
;;
;; From top to bottom: the host's functions; the texts; memory; a strict check of the
;; JSON that came in; finding one's way in it; what the tool knows of the world; the
;; six exports.
;;
;; A value is the address where its JSON begins, in a text that was checked before; 0
;; is a value that is not there. A text is the address of its length (i32), behind
;; which its bytes stand. A literal is the address of bytes that end in NUL.
(module
  ;; ---- The host. Offsets and lengths there are i64. ----
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
  (import "extism:host/env" "alloc" (func $host_alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "error_set" (func $error_set (param i64)))

  ;; ---- Texts, in slots that are wider than they are ----
  (memory 2)
  (global $status i32 (i32.const 0x0100)) (data (i32.const 0x0100) "status\00")
  (global $go i32 (i32.const 0x0200)) (data (i32.const 0x0200) "deploy\00")
  (global $rollback i32 (i32.const 0x0300)) (data (i32.const 0x0300) "rollback\00")
  (global $own_name i32 (i32.const 0x0400)) (data (i32.const 0x0400) "Deploy\00")
  (global $own_alias i32 (i32.const 0x0500)) (data (i32.const 0x0500) "deploy\00")
  (global $prod i32 (i32.const 0x0600)) (data (i32.const 0x0600) "prod\00")

  ;; Members.
  (global $m_tool i32 (i32.const 0x0700)) (data (i32.const 0x0700) "tool\00")
  (global $m_input i32 (i32.const 0x0710)) (data (i32.const 0x0710) "input\00")
  (global $m_config i32 (i32.const 0x0720)) (data (i32.const 0x0720) "config\00")
  (global $m_context i32 (i32.const 0x0730)) (data (i32.const 0x0730) "context\00")
  (global $m_targets i32 (i32.const 0x0740)) (data (i32.const 0x0740) "targets\00")
  (global $m_kind i32 (i32.const 0x0750)) (data (i32.const 0x0750) "kind\00")
  (global $m_value i32 (i32.const 0x0760)) (data (i32.const 0x0760) "value\00")
  (global $m_inside i32 (i32.const 0x0770)) (data (i32.const 0x0770) "inside\00")
  (global $m_claimed i32 (i32.const 0x0780)) (data (i32.const 0x0780) "claimed\00")
  (global $m_error i32 (i32.const 0x0790)) (data (i32.const 0x0790) "error\00")
  (global $m_behavior i32 (i32.const 0x07a0)) (data (i32.const 0x07a0) "behavior\00")
  (global $m_rules i32 (i32.const 0x07b0)) (data (i32.const 0x07b0) "rules\00")
  (global $m_content i32 (i32.const 0x07c0)) (data (i32.const 0x07c0) "content\00")
  (global $m_operation i32 (i32.const 0x07d0)) (data (i32.const 0x07d0) "operation\00")
  (global $m_target i32 (i32.const 0x07e0)) (data (i32.const 0x07e0) "target\00")
  (global $m_dry_run i32 (i32.const 0x07f0)) (data (i32.const 0x07f0) "dry_run\00")
  (global $m_production i32 (i32.const 0x0800)) (data (i32.const 0x0800) "production\00")
  (global $path i32 (i32.const 0x0810)) (data (i32.const 0x0810) "path\00")
  (global $allow i32 (i32.const 0x0820)) (data (i32.const 0x0820) "allow\00")
  (global $deny i32 (i32.const 0x0830)) (data (i32.const 0x0830) "deny\00")
  (global $ask i32 (i32.const 0x0840)) (data (i32.const 0x0840) "ask\00")
  (global $true i32 (i32.const 0x0850)) (data (i32.const 0x0850) "true\00")
  (global $false i32 (i32.const 0x0860)) (data (i32.const 0x0860) "false\00")
  (global $null i32 (i32.const 0x0870)) (data (i32.const 0x0870) "null\00")

  ;; Errors.
  (global $e_json i32 (i32.const 0x0900)) (data (i32.const 0x0900) "the envelope is not strict JSON\00")
  (global $e_twice i32 (i32.const 0x0940)) (data (i32.const 0x0940) "the envelope has a name twice in one object\00")
  (global $e_deep i32 (i32.const 0x0980)) (data (i32.const 0x0980) "the envelope is nested more than 1000 deep\00")
  (global $e_kind i32 (i32.const 0x09c0)) (data (i32.const 0x09c0) "the envelope has another kind of value than the ABI says\00")
  (global $e_tool i32 (i32.const 0x0a00)) (data (i32.const 0x0a00) "the module has no such tool\00")
  (global $e_behavior i32 (i32.const 0x0a40)) (data (i32.const 0x0a40) "match wants the behavior allow, deny or ask\00")

  ;; Answers, and parts of them.
  (global $a_passthrough i32 (i32.const 0x0b00)) (data (i32.const 0x0b00) "{\"behavior\":\"passthrough\"}\00")
  (global $a_operation i32 (i32.const 0x0b40)) (data (i32.const 0x0b40) "{\"behavior\":\"ask\",\"bypass_immune\":true,\"reason\":\"unknown operation\"}\00")
  (global $a_target i32 (i32.const 0x0bc0)) (data (i32.const 0x0bc0) "{\"behavior\":\"ask\",\"bypass_immune\":true,\"reason\":\"the target is not STAGE/SERVICE\"}\00")
  (global $a_shape i32 (i32.const 0x0c40)) (data (i32.const 0x0c40) "{\"behavior\":\"ask\",\"bypass_immune\":true,\"reason\":\"the input does not have the shape this tool expects: \00")
  (global $a_production i32 (i32.const 0x0cc0)) (data (i32.const 0x0cc0) "{\"behavior\":\"ask\",\"bypass_immune\":true,\"message\":\"Deployments to production are confirmed by a person.\",\"reason\":\"\00")
  (global $a_is_production i32 (i32.const 0x0d80)) (data (i32.const 0x0d80) " is production\"}\00")
  (global $a_outside i32 (i32.const 0x0dc0)) (data (i32.const 0x0dc0) "{\"behavior\":\"ask\",\"reason\":\"the configuration lies outside the working directories\"}\00")
  (global $a_read_only i32 (i32.const 0x0e40)) (data (i32.const 0x0e40) "{\"read_only\":true,\"reason\":\"status changes nothing\"}\00")
  (global $a_changes i32 (i32.const 0x0ea0)) (data (i32.const 0x0ea0) "{\"read_only\":false}\00")
  (global $a_matched i32 (i32.const 0x0ec0)) (data (i32.const 0x0ec0) "{\"matched\":[\00")
  (global $a_rules i32 (i32.const 0x0ee0)) (data (i32.const 0x0ee0) "{\"rules\":[\00")
  (global $a_end i32 (i32.const 0x0f00)) (data (i32.const 0x0f00) "]}\00")
  (global $a_content i32 (i32.const 0x0f20)) (data (i32.const 0x0f20) "{\"content\":\"\00")
  (global $a_exact i32 (i32.const 0x0f40)) (data (i32.const 0x0f40) "\",\"description\":\"this operation on this target\",\"near_misses\":[{\"operation\":\"\00")
  (global $a_every i32 (i32.const 0x0fc0)) (data (i32.const 0x0fc0) "/*\",\"description\":\"this operation on every target of \00")
  (global $a_misses i32 (i32.const 0x1020)) (data (i32.const 0x1020) "\",\"near_misses\":[{\"operation\":\"\00")
  (global $a_its_target i32 (i32.const 0x1060)) (data (i32.const 0x1060) "\",\"target\":\"\00")
  (global $a_two i32 (i32.const 0x1080)) (data (i32.const 0x1080) "-2\00")
  (global $a_miss_end i32 (i32.const 0x1090)) (data (i32.const 0x1090) "\"}]}\00")
  (global $a_unknown i32 (i32.const 0x10a0)) (data (i32.const 0x10a0) "{\"targets_unknown\":true\00")
  (global $a_not_analysed i32 (i32.const 0x10c0)) (data (i32.const 0x10c0) ",\"analysed\":false\00")
  (global $a_dry_run i32 (i32.const 0x10e0)) (data (i32.const 0x10e0) " --dry-run\00")
  (global $a_title i32 (i32.const 0x1100)) (data (i32.const 0x1100) "\",\"title\":\"\00")
  (global $a_targets i32 (i32.const 0x1120)) (data (i32.const 0x1120) ",\"targets\":[{\"kind\":\"path\",\"access\":\"read\",\"value\":\00")
  (global $a_targets_end i32 (i32.const 0x1160)) (data (i32.const 0x1160) "}]\00")
  (global $a_untold i32 (i32.const 0x1180)) (data (i32.const 0x1180) ",\"targets_unknown\":true\00")
  (global $a_action i32 (i32.const 0x1200)) (data (i32.const 0x1200) "{\"action\":\"tool:Deploy:\00")
  (global $description i32 (i32.const 0x2000))
  (data (i32.const 0x2000)
    "{\"abi\":1,\"name\":\"deploy\",\"version\":\"1.0.0\",\"summary\":\"Judges deployments.\",\"tools\":[{\"name\":\"Deploy\",\"aliases\":[\"deploy\"],"
    "\"input_schema\":{\"type\":\"object\",\"properties\":{\"operation\":{\"enum\":[\"status\",\"deploy\",\"rollback\"]},\"target\":{\"type\":\"string\"},"
    "\"dry_run\":{\"type\":\"boolean\"},\"config\":{\"type\":\"string\"}},\"required\":[\"operation\",\"target\"],\"additionalProperties\":false},"
    "\"read_only\":false,\"edits_files\":false,\"rule_help\":\"OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: "
    "staging/*, status prod/*, deploy staging/web.\",\"rule_examples\":["
    "{\"content\":\"staging/*\",\"behavior\":\"allow\",\"input\":{\"operation\":\"deploy\",\"target\":\"staging/web\"},\"match\":true},"
    "{\"content\":\"staging/*\",\"behavior\":\"allow\",\"input\":{\"operation\":\"deploy\",\"target\":\"prod/web\"},\"match\":false},"
    "{\"content\":\"deploy staging/web\",\"behavior\":\"allow\",\"input\":{\"operation\":\"rollback\",\"target\":\"staging/web\"},\"match\":false},"
    "{\"content\":\"prod/*\",\"behavior\":\"deny\",\"input\":{\"operation\":\"status\",\"target\":\"prod/web\"},\"match\":true},"
    "{\"content\":\"nonsense\",\"behavior\":\"deny\",\"input\":{\"operation\":\"status\",\"target\":\"prod/web\"},\"match\":true}]}]}\00")

  ;; ---- Memory: the input at 0x10000, the heap behind it ----
  (global $at (mut i32) (i32.const 0))   ;; where the check reads
  (global $end (mut i32) (i32.const 0))  ;; where the input ends
  (global $heap (mut i32) (i32.const 0))
  (global $out_start (mut i32) (i32.const 0))
  (global $out (mut i32) (i32.const 0))

  ;; Grows the memory up to an address. Where that fails, the trap is the answer.
  (func $ensure (param $top i32)
    (local $have i32)
    (local.set $have (i32.mul (memory.size) (i32.const 0x10000)))
    (if (i32.gt_u (local.get $top) (local.get $have)) (then
      (if (i32.eq (i32.const -1)
            (memory.grow (i32.add (i32.const 1) (i32.div_u (i32.sub (local.get $top) (local.get $have)) (i32.const 0x10000)))))
        (then (unreachable))))))

  (func $alloc (param $size i32) (result i32)
    (local $here i32)
    (local.set $here (global.get $heap))
    (global.set $heap (i32.add (global.get $heap) (local.get $size)))
    (call $ensure (global.get $heap))
    (local.get $here))

  (func $length (param $literal i32) (result i32)
    (local $n i32)
    (loop $more
      (if (i32.load8_u (i32.add (local.get $literal) (local.get $n))) (then
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br $more))))
    (local.get $n))

  (func $copy (param $to i32) (param $from i32) (param $size i32)
    (local $i i32)
    (loop $more
      (if (i32.lt_u (local.get $i) (local.get $size)) (then
        (i32.store8 (i32.add (local.get $to) (local.get $i)) (i32.load8_u (i32.add (local.get $from) (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $more)))))

  ;; Copies bytes, at least one, to the host.
  (func $to_host (param $from i32) (param $size i32) (result i64)
    (local $start i64) (local $i i32)
    (local.set $start (call $host_alloc (i64.extend_i32_u (local.get $size))))
    (loop $words
      (if (i32.le_u (i32.add (local.get $i) (i32.const 8)) (local.get $size)) (then
        (call $store_u64 (i64.add (local.get $start) (i64.extend_i32_u (local.get $i))) (i64.load (i32.add (local.get $from) (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 8)))
        (br $words))))
    (loop $bytes
      (if (i32.lt_u (local.get $i) (local.get $size)) (then
        (call $store_u8 (i64.add (local.get $start) (i64.extend_i32_u (local.get $i))) (i32.load8_u (i32.add (local.get $from) (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $bytes))))
    (local.get $start))

  ;; Fails the verb. A trap is as good as a return code, and the host keeps the words.
  (func $fail (param $why i32)
    (call $error_set (call $to_host (local.get $why) (call $length (local.get $why))))
    (unreachable))

  (func $read_input
    (local $size i32) (local $i i32)
    (local.set $size (i32.wrap_i64 (call $input_length)))
    (global.set $at (i32.const 0x10000))
    (global.set $end (i32.add (global.get $at) (local.get $size)))
    (global.set $heap (i32.add (global.get $end) (i32.const 8)))
    (call $ensure (global.get $heap))
    (loop $words
      (if (i32.le_u (i32.add (local.get $i) (i32.const 8)) (local.get $size)) (then
        (i64.store (i32.add (global.get $at) (local.get $i)) (call $input_load_u64 (i64.extend_i32_u (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 8)))
        (br $words))))
    (loop $bytes
      (if (i32.lt_u (local.get $i) (local.get $size)) (then
        (i32.store8 (i32.add (global.get $at) (local.get $i)) (call $input_load_u8 (i64.extend_i32_u (local.get $i))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $bytes)))))

  ;; ---- The strict check: whatever is not JSON as the ABI wants it fails ----
  ;; The byte at $at, -1 at the end.
  (func $peek (result i32)
    (if (result i32) (i32.lt_u (global.get $at) (global.get $end))
      (then (i32.load8_u (global.get $at)))
      (else (i32.const -1))))

  (func $step (global.set $at (i32.add (global.get $at) (i32.const 1))))

  (func $take (param $byte i32) (result i32)
    (if (i32.ne (call $peek) (local.get $byte)) (then (return (i32.const 0))))
    (call $step)
    (i32.const 1))

  (func $want (param $byte i32)
    (if (i32.eqz (call $take (local.get $byte))) (then (call $fail (global.get $e_json)))))

  (func $is_blank (param $c i32) (result i32)
    (i32.or (i32.or (i32.eq (local.get $c) (i32.const 0x20)) (i32.eq (local.get $c) (i32.const 0x09)))
            (i32.or (i32.eq (local.get $c) (i32.const 0x0a)) (i32.eq (local.get $c) (i32.const 0x0d)))))

  (func $blanks
    (loop $more (if (call $is_blank (call $peek)) (then (call $step) (br $more)))))

  (func $is_digit (param $c i32) (result i32)
    (i32.lt_u (i32.sub (local.get $c) (i32.const 0x30)) (i32.const 10)))

  (func $check_digits
    (if (i32.eqz (call $is_digit (call $peek))) (then (call $fail (global.get $e_json))))
    (loop $more (if (call $is_digit (call $peek)) (then (call $step) (br $more)))))

  (func $check_number
    (drop (call $take (i32.const 0x2d))) ;; -
    (if (i32.eqz (call $take (i32.const 0x30))) (then (call $check_digits)))
    (if (call $take (i32.const 0x2e)) (then (call $check_digits))) ;; .
    (if (i32.eq (i32.or (call $peek) (i32.const 0x20)) (i32.const 0x65)) (then ;; e, E
      (call $step)
      (if (i32.eqz (call $take (i32.const 0x2b))) (then (drop (call $take (i32.const 0x2d)))))
      (call $check_digits))))

  (func $check_word (param $literal i32)
    (loop $more
      (if (i32.load8_u (local.get $literal)) (then
        (call $want (i32.load8_u (local.get $literal)))
        (local.set $literal (i32.add (local.get $literal) (i32.const 1)))
        (br $more)))))

  ;; The value of a hexadecimal digit, or -1.
  (func $hex (param $c i32) (result i32)
    (if (call $is_digit (local.get $c)) (then (return (i32.sub (local.get $c) (i32.const 0x30)))))
    (local.set $c (i32.sub (i32.or (local.get $c) (i32.const 0x20)) (i32.const 0x61)))
    (if (result i32) (i32.lt_u (local.get $c) (i32.const 6)) (then (i32.add (local.get $c) (i32.const 10))) (else (i32.const -1))))

  ;; Four digits of hex at an address that holds them.
  (func $hex4 (param $p i32) (result i32)
    (i32.or
      (i32.or (i32.shl (call $hex (i32.load8_u (local.get $p))) (i32.const 12)) (i32.shl (call $hex (i32.load8_u offset=1 (local.get $p))) (i32.const 8)))
      (i32.or (i32.shl (call $hex (i32.load8_u offset=2 (local.get $p))) (i32.const 4)) (call $hex (i32.load8_u offset=3 (local.get $p))))))

  (func $check_hex4 (result i32)
    (local $i i32)
    (loop $more
      (if (i32.lt_s (call $hex (call $peek)) (i32.const 0)) (then (call $fail (global.get $e_json))))
      (call $step)
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 4))))
    (call $hex4 (i32.sub (global.get $at) (i32.const 4))))

  ;; What follows a backslash. A surrogate needs its other half.
  (func $check_escape
    (local $c i32) (local $code i32)
    (local.set $c (call $peek))
    (call $step)
    (if (i32.ne (local.get $c) (i32.const 0x75)) (then ;; u
      (if (i32.or (i32.or (i32.or (i32.eq (local.get $c) (i32.const 0x22)) (i32.eq (local.get $c) (i32.const 0x5c)))
                          (i32.or (i32.eq (local.get $c) (i32.const 0x2f)) (i32.eq (local.get $c) (i32.const 0x62))))
                  (i32.or (i32.or (i32.eq (local.get $c) (i32.const 0x66)) (i32.eq (local.get $c) (i32.const 0x6e)))
                          (i32.or (i32.eq (local.get $c) (i32.const 0x72)) (i32.eq (local.get $c) (i32.const 0x74)))))
        (then (return)))
      (call $fail (global.get $e_json))))
    (local.set $code (call $check_hex4))
    (if (i32.ne (i32.and (local.get $code) (i32.const 0xf800)) (i32.const 0xd800)) (then (return)))
    (if (i32.ge_u (local.get $code) (i32.const 0xdc00)) (then (call $fail (global.get $e_json))))
    (call $want (i32.const 0x5c))
    (call $want (i32.const 0x75))
    (if (i32.ne (i32.and (call $check_hex4) (i32.const 0xfc00)) (i32.const 0xdc00)) (then (call $fail (global.get $e_json)))))

  ;; The bytes of a UTF-8 sequence behind its first.
  (func $check_utf8 (param $lead i32)
    (local $rest i32) (local $low i32) (local $high i32)
    (if (i32.or (i32.lt_u (local.get $lead) (i32.const 0xc2)) (i32.gt_u (local.get $lead) (i32.const 0xf4))) (then (call $fail (global.get $e_json))))
    (local.set $rest (i32.add (i32.const 1) (i32.add (i32.ge_u (local.get $lead) (i32.const 0xe0)) (i32.ge_u (local.get $lead) (i32.const 0xf0)))))
    (local.set $low (i32.const 0x80))
    (local.set $high (i32.const 0xbf))
    (if (i32.eq (local.get $lead) (i32.const 0xe0)) (then (local.set $low (i32.const 0xa0))))
    (if (i32.eq (local.get $lead) (i32.const 0xed)) (then (local.set $high (i32.const 0x9f))))
    (if (i32.eq (local.get $lead) (i32.const 0xf0)) (then (local.set $low (i32.const 0x90))))
    (if (i32.eq (local.get $lead) (i32.const 0xf4)) (then (local.set $high (i32.const 0x8f))))
    (loop $more
      (if (i32.or (i32.lt_s (call $peek) (local.get $low)) (i32.gt_s (call $peek) (local.get $high))) (then (call $fail (global.get $e_json))))
      (call $step)
      (local.set $low (i32.const 0x80))
      (local.set $high (i32.const 0xbf))
      (local.set $rest (i32.sub (local.get $rest) (i32.const 1)))
      (br_if $more (local.get $rest))))

  (func $check_string
    (local $c i32)
    (call $want (i32.const 0x22))
    (loop $more
      (local.set $c (call $peek))
      (if (i32.lt_s (local.get $c) (i32.const 0x20)) (then (call $fail (global.get $e_json)))) ;; -1: no end
      (call $step)
      (if (i32.eq (local.get $c) (i32.const 0x22)) (then (return)))
      (if (i32.eq (local.get $c) (i32.const 0x5c)) (then (call $check_escape)))
      (if (i32.ge_u (local.get $c) (i32.const 0x80)) (then (call $check_utf8 (local.get $c))))
      (br $more)))

  ;; Each name once: $names is a list of (the next one, its text).
  (func $check_object (param $depth i32)
    (local $names i32) (local $name i32) (local $other i32)
    (call $blanks)
    (if (call $take (i32.const 0x7d)) (then (return)))
    (loop $more
      (call $blanks)
      (local.set $name (global.get $at))
      (call $check_string)
      (local.set $name (call $text (local.get $name)))
      (local.set $other (local.get $names))
      (loop $others
        (if (local.get $other) (then
          (if (call $same (local.get $name) (i32.load offset=4 (local.get $other))) (then (call $fail (global.get $e_twice))))
          (local.set $other (i32.load (local.get $other)))
          (br $others))))
      (local.set $other (call $alloc (i32.const 8)))
      (i32.store (local.get $other) (local.get $names))
      (i32.store offset=4 (local.get $other) (local.get $name))
      (local.set $names (local.get $other))
      (call $blanks)
      (call $want (i32.const 0x3a))
      (call $check_value (local.get $depth))
      (call $blanks)
      (br_if $more (call $take (i32.const 0x2c))))
    (call $want (i32.const 0x7d)))

  (func $check_list (param $depth i32)
    (call $blanks)
    (if (call $take (i32.const 0x5d)) (then (return)))
    (loop $more
      (call $check_value (local.get $depth))
      (call $blanks)
      (br_if $more (call $take (i32.const 0x2c))))
    (call $want (i32.const 0x5d)))

  (func $check_value (param $depth i32)
    (local $c i32)
    (call $blanks)
    (local.set $c (call $peek))
    (if (i32.or (i32.eq (local.get $c) (i32.const 0x7b)) (i32.eq (local.get $c) (i32.const 0x5b))) (then
      (if (i32.eq (local.get $depth) (i32.const 1000)) (then (call $fail (global.get $e_deep))))
      (call $step)
      (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
      (if (i32.eq (local.get $c) (i32.const 0x7b)) (then (call $check_object (local.get $depth))) (else (call $check_list (local.get $depth))))
      (return)))
    (if (i32.eq (local.get $c) (i32.const 0x22)) (then (call $check_string) (return)))
    (if (i32.eq (local.get $c) (i32.const 0x74)) (then (call $check_word (global.get $true)) (return)))
    (if (i32.eq (local.get $c) (i32.const 0x66)) (then (call $check_word (global.get $false)) (return)))
    (if (i32.eq (local.get $c) (i32.const 0x6e)) (then (call $check_word (global.get $null)) (return)))
    (call $check_number))

  ;; ---- Finding one's way in what was checked ----
  ;; What a value is: its first byte, the digit 0 for numbers; 0 for none.
  (func $kind (param $value i32) (result i32)
    (local $c i32)
    (if (i32.eqz (local.get $value)) (then (return (i32.const 0))))
    (local.set $c (i32.load8_u (local.get $value)))
    (if (result i32) (i32.or (call $is_digit (local.get $c)) (i32.eq (local.get $c) (i32.const 0x2d)))
      (then (i32.const 0x30))
      (else (local.get $c))))

  (func $after_string (param $p i32) (result i32)
    (local $c i32)
    (loop $more
      (local.set $p (i32.add (local.get $p) (i32.const 1)))
      (local.set $c (i32.load8_u (local.get $p)))
      (if (i32.eq (local.get $c) (i32.const 0x5c)) (then (local.set $p (i32.add (local.get $p) (i32.const 1))) (br $more)))
      (br_if $more (i32.ne (local.get $c) (i32.const 0x22))))
    (i32.add (local.get $p) (i32.const 1)))

  ;; Whether a byte ends a number or a word.
  (func $ends (param $c i32) (result i32)
    (i32.or (i32.or (call $is_blank (local.get $c)) (i32.eq (local.get $c) (i32.const 0x2c)))
            (i32.or (i32.eq (local.get $c) (i32.const 0x7d)) (i32.eq (local.get $c) (i32.const 0x5d)))))

  (func $after (param $p i32) (result i32)
    (local $c i32) (local $open i32)
    (loop $more
      (local.set $c (i32.load8_u (local.get $p)))
      (if (i32.eq (local.get $c) (i32.const 0x22))
        (then (local.set $p (call $after_string (local.get $p))))
        (else
          (if (i32.eq (i32.or (local.get $c) (i32.const 0x20)) (i32.const 0x7b)) (then (local.set $open (i32.add (local.get $open) (i32.const 1))))) ;; { [
          (if (i32.eq (i32.or (local.get $c) (i32.const 0x20)) (i32.const 0x7d)) (then (local.set $open (i32.sub (local.get $open) (i32.const 1))))) ;; } ]
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (if (i32.and (i32.eqz (local.get $open)) (i32.ne (i32.or (local.get $c) (i32.const 0x20)) (i32.const 0x7d))) (then
            (br_if $more (i32.eqz (call $ends (i32.load8_u (local.get $p)))))))))
      (br_if $more (local.get $open)))
    (local.get $p))

  ;; The next value, name or closing bracket.
  (func $next (param $p i32) (result i32)
    (local $c i32)
    (loop $more
      (local.set $c (i32.load8_u (local.get $p)))
      (if (i32.or (call $is_blank (local.get $c)) (i32.or (i32.eq (local.get $c) (i32.const 0x2c)) (i32.eq (local.get $c) (i32.const 0x3a)))) (then
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $more))))
    (local.get $p))

  ;; The first item of a list, or name of an object; 0 for none, and for another value.
  (func $first (param $value i32) (param $bracket i32) (result i32)
    (if (i32.ne (call $kind (local.get $value)) (local.get $bracket)) (then (return (i32.const 0))))
    (call $or_end (call $next (i32.add (local.get $value) (i32.const 1)))))

  ;; The item behind one, or the name behind a member's value; 0 for none.
  (func $following (param $value i32) (result i32) (call $or_end (call $next (call $after (local.get $value)))))

  (func $or_end (param $p i32) (result i32)
    (if (result i32) (i32.eq (i32.or (i32.load8_u (local.get $p)) (i32.const 0x20)) (i32.const 0x7d)) (then (i32.const 0)) (else (local.get $p))))

  ;; An object's member; 0 for none.
  (func $member (param $object i32) (param $name i32) (result i32)
    (local $p i32) (local $heap_before i32) (local $found i32)
    (local.set $p (call $first (local.get $object) (i32.const 0x7b)))
    (loop $more
      (if (local.get $p) (then
        (local.set $heap_before (global.get $heap))
        (local.set $found (call $is (call $text (local.get $p)) (local.get $name)))
        (global.set $heap (local.get $heap_before))
        (local.set $p (call $next (call $after_string (local.get $p))))
        (if (local.get $found) (then (return (local.get $p))))
        (local.set $p (call $following (local.get $p)))
        (br $more))))
    (i32.const 0))

  ;; A member of the envelope: 0 when it is left out or null. Another kind fails.
  (func $given (param $object i32) (param $name i32) (param $kind i32) (result i32)
    (local $value i32) (local $own i32)
    (local.set $value (call $member (local.get $object) (local.get $name)))
    (local.set $own (call $kind (local.get $value)))
    (if (i32.or (i32.eqz (local.get $own)) (i32.eq (local.get $own) (i32.const 0x6e))) (then (return (i32.const 0))))
    (if (i32.ne (local.get $own) (local.get $kind)) (then
      ;; false is as good as true
      (if (i32.or (i32.ne (local.get $kind) (i32.const 0x74)) (i32.ne (local.get $own) (i32.const 0x66))) (then (call $fail (global.get $e_kind))))))
    (local.get $value))

  ;; ---- Texts ----
  (func $bytes (param $text i32) (result i32) (i32.add (local.get $text) (i32.const 4)))

  (func $equal (param $a i32) (param $a_size i32) (param $b i32) (param $b_size i32) (result i32)
    (local $i i32)
    (if (i32.ne (local.get $a_size) (local.get $b_size)) (then (return (i32.const 0))))
    (loop $more
      (if (i32.eq (local.get $i) (local.get $a_size)) (then (return (i32.const 1))))
      (if (i32.ne (i32.load8_u (i32.add (local.get $a) (local.get $i))) (i32.load8_u (i32.add (local.get $b) (local.get $i)))) (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $more))
    (unreachable))

  (func $same (param $a i32) (param $b i32) (result i32)
    (call $equal (call $bytes (local.get $a)) (i32.load (local.get $a)) (call $bytes (local.get $b)) (i32.load (local.get $b))))

  (func $is (param $text i32) (param $literal i32) (result i32)
    (call $equal (call $bytes (local.get $text)) (i32.load (local.get $text)) (local.get $literal) (call $length (local.get $literal))))

  ;; Writes a character in UTF-8 and returns where it ends.
  (func $put_rune (param $to i32) (param $rune i32) (result i32)
    (if (i32.lt_u (local.get $rune) (i32.const 0x80)) (then
      (i32.store8 (local.get $to) (local.get $rune))
      (return (i32.add (local.get $to) (i32.const 1)))))
    (if (i32.lt_u (local.get $rune) (i32.const 0x800))
      (then
        (i32.store8 (local.get $to) (i32.or (i32.const 0xc0) (i32.shr_u (local.get $rune) (i32.const 6)))))
      (else
        (if (i32.lt_u (local.get $rune) (i32.const 0x10000))
          (then (i32.store8 (local.get $to) (i32.or (i32.const 0xe0) (i32.shr_u (local.get $rune) (i32.const 12)))))
          (else
            (i32.store8 (local.get $to) (i32.or (i32.const 0xf0) (i32.shr_u (local.get $rune) (i32.const 18))))
            (local.set $to (i32.add (local.get $to) (i32.const 1)))
            (i32.store8 (local.get $to) (i32.or (i32.const 0x80) (i32.and (i32.shr_u (local.get $rune) (i32.const 12)) (i32.const 0x3f))))))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (i32.store8 (local.get $to) (i32.or (i32.const 0x80) (i32.and (i32.shr_u (local.get $rune) (i32.const 6)) (i32.const 0x3f))))))
    (i32.store8 offset=1 (local.get $to) (i32.or (i32.const 0x80) (i32.and (local.get $rune) (i32.const 0x3f))))
    (i32.add (local.get $to) (i32.const 2)))

  ;; The characters of a checked string, on the heap.
  (func $text (param $string i32) (result i32)
    (local $p i32) (local $last i32) (local $to i32) (local $text i32) (local $c i32)
    (local.set $last (i32.sub (call $after_string (local.get $string)) (i32.const 1)))
    (local.set $p (i32.add (local.get $string) (i32.const 1)))
    (local.set $text (call $alloc (i32.add (i32.const 4) (i32.sub (local.get $last) (local.get $p)))))
    (local.set $to (call $bytes (local.get $text)))
    (loop $more
      (if (i32.lt_u (local.get $p) (local.get $last)) (then
        (local.set $c (i32.load8_u (local.get $p)))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (if (i32.ne (local.get $c) (i32.const 0x5c))
          (then
            (i32.store8 (local.get $to) (local.get $c))
            (local.set $to (i32.add (local.get $to) (i32.const 1))))
          (else
            (local.set $c (i32.load8_u (local.get $p)))
            (local.set $p (i32.add (local.get $p) (i32.const 1)))
            (if (i32.eq (local.get $c) (i32.const 0x62)) (then (local.set $c (i32.const 0x08)))) ;; \b
            (if (i32.eq (local.get $c) (i32.const 0x66)) (then (local.set $c (i32.const 0x0c)))) ;; \f
            (if (i32.eq (local.get $c) (i32.const 0x6e)) (then (local.set $c (i32.const 0x0a)))) ;; \n
            (if (i32.eq (local.get $c) (i32.const 0x72)) (then (local.set $c (i32.const 0x0d)))) ;; \r
            (if (i32.eq (local.get $c) (i32.const 0x74)) (then (local.set $c (i32.const 0x09)))) ;; \t
            (if (i32.eq (local.get $c) (i32.const 0x75)) (then ;; \u
              (local.set $c (call $hex4 (local.get $p)))
              (local.set $p (i32.add (local.get $p) (i32.const 4)))
              (if (i32.eq (i32.and (local.get $c) (i32.const 0xf800)) (i32.const 0xd800)) (then ;; and its other half
                (local.set $c (i32.add (i32.const 0x10000)
                  (i32.or (i32.shl (i32.and (local.get $c) (i32.const 0x3ff)) (i32.const 10))
                          (i32.and (call $hex4 (i32.add (local.get $p) (i32.const 2))) (i32.const 0x3ff)))))
                (local.set $p (i32.add (local.get $p) (i32.const 6)))))))
            (local.set $to (call $put_rune (local.get $to) (local.get $c)))))
        (br $more))))
    (i32.store (local.get $text) (i32.sub (local.get $to) (call $bytes (local.get $text))))
    (local.get $text))

  ;; Where a byte first stands; the size when nowhere.
  (func $find (param $p i32) (param $size i32) (param $byte i32) (result i32)
    (local $i i32)
    (loop $more
      (if (i32.lt_u (local.get $i) (local.get $size)) (then
        (if (i32.ne (i32.load8_u (i32.add (local.get $p) (local.get $i))) (local.get $byte)) (then
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $more))))))
    (local.get $i))

  ;; ---- What the tool knows ----
  ;; The call: texts, or 0 for what is not there.
  (global $operation (mut i32) (i32.const 0))
  (global $target (mut i32) (i32.const 0))
  (global $dry_run (mut i32) (i32.const 0))
  (global $config_path (mut i32) (i32.const 0))
  (global $config_value (mut i32) (i32.const 0)) ;; the same as it came
  (global $envelope (mut i32) (i32.const 0))
  (global $problem (mut i32) (i32.const 0))  ;; the member without the shape that is wanted, as a literal
  (global $unknown (mut i32) (i32.const 0))  ;; the input has members beyond these
  (global $readable (mut i32) (i32.const 0)) ;; operation and target say what the call does
  (global $slash (mut i32) (i32.const 0))    ;; where the target's is

  (func $is_operation (param $p i32) (param $size i32) (result i32)
    (i32.or (i32.or (call $equal (local.get $p) (local.get $size) (global.get $status) (call $length (global.get $status)))
                    (call $equal (local.get $p) (local.get $size) (global.get $go) (call $length (global.get $go))))
            (call $equal (local.get $p) (local.get $size) (global.get $rollback) (call $length (global.get $rollback)))))

  ;; Whether all is 1 to 63 of [a-z0-9-]; a pattern may also hold stars.
  (func $is_word (param $p i32) (param $size i32) (param $pattern i32) (result i32)
    (local $i i32) (local $c i32)
    (if (i32.gt_u (i32.sub (local.get $size) (i32.const 1)) (i32.const 62)) (then (return (i32.const 0)))) ;; 0 is above as well
    (loop $more
      (local.set $c (i32.load8_u (i32.add (local.get $p) (local.get $i))))
      (if (i32.eqz (i32.or
            (i32.or (call $is_digit (local.get $c)) (i32.lt_u (i32.sub (local.get $c) (i32.const 0x61)) (i32.const 26)))
            (i32.or (i32.eq (local.get $c) (i32.const 0x2d)) (i32.and (local.get $pattern) (i32.eq (local.get $c) (i32.const 0x2a))))))
        (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (local.get $size))))
    (i32.const 1))

  ;; Whether all is STAGE/SERVICE.
  (func $is_target (param $p i32) (param $size i32) (param $pattern i32) (result i32)
    (local $i i32)
    (local.set $i (call $find (local.get $p) (local.get $size) (i32.const 0x2f)))
    (if (i32.eq (local.get $i) (local.get $size)) (then (return (i32.const 0))))
    (if (i32.eqz (call $is_word (local.get $p) (local.get $i) (local.get $pattern))) (then (return (i32.const 0))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (call $is_word (i32.add (local.get $p) (local.get $i)) (i32.sub (local.get $size) (local.get $i)) (local.get $pattern)))

  ;; Whether a text can be named as a target, of 1 to 4096 bytes and no control
  ;; character: the host takes no other.
  (func $is_path (param $text i32) (result i32)
    (local $p i32) (local $size i32) (local $i i32) (local $c i32)
    (local.set $p (call $bytes (local.get $text)))
    (local.set $size (i32.load (local.get $text)))
    (if (i32.gt_u (i32.sub (local.get $size) (i32.const 1)) (i32.const 4095)) (then (return (i32.const 0))))
    (loop $more
      (local.set $c (i32.load8_u (i32.add (local.get $p) (local.get $i))))
      (if (i32.or (i32.lt_u (local.get $c) (i32.const 0x20)) (i32.eq (local.get $c) (i32.const 0x7f))) (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (local.get $size))))
    (i32.const 1))

  ;; Takes one member of the input. Null is as if it were not there.
  (func $read_member (param $name i32) (param $value i32)
    (local $kind i32) (local $own i32)
    (local.set $kind (call $kind (local.get $value)))
    (if (call $is (local.get $name) (global.get $m_operation)) (then (local.set $own (global.get $m_operation))))
    (if (call $is (local.get $name) (global.get $m_target)) (then (local.set $own (global.get $m_target))))
    (if (call $is (local.get $name) (global.get $m_config)) (then (local.set $own (global.get $m_config))))
    (if (call $is (local.get $name) (global.get $m_dry_run)) (then (local.set $own (global.get $m_dry_run))))
    (if (i32.eqz (local.get $own)) (then (global.set $unknown (i32.const 1)) (return)))
    (if (i32.eq (local.get $kind) (i32.const 0x6e)) (then (return)))
    (if (i32.eq (local.get $own) (global.get $m_dry_run)) (then
      (global.set $dry_run (i32.eq (local.get $kind) (i32.const 0x74)))
      (if (i32.and (i32.ne (local.get $kind) (i32.const 0x74)) (i32.ne (local.get $kind) (i32.const 0x66))) (then (global.set $problem (local.get $own))))
      (return)))
    (if (i32.ne (local.get $kind) (i32.const 0x22)) (then (global.set $problem (local.get $own)) (return)))
    (if (i32.eq (local.get $own) (global.get $m_operation)) (then (global.set $operation (call $text (local.get $value)))))
    (if (i32.eq (local.get $own) (global.get $m_target)) (then (global.set $target (call $text (local.get $value)))))
    (if (i32.eq (local.get $own) (global.get $m_config)) (then
      (global.set $config_path (call $text (local.get $value)))
      (global.set $config_value (local.get $value)))))

  (func $read_call (param $input i32)
    (local $p i32) (local $name i32)
    (if (i32.ne (call $kind (local.get $input)) (i32.const 0x7b)) (then (global.set $problem (global.get $m_input)) (return)))
    (local.set $p (call $first (local.get $input) (i32.const 0x7b)))
    (loop $more
      (if (local.get $p) (then
        (local.set $name (call $text (local.get $p)))
        (local.set $p (call $next (call $after_string (local.get $p))))
        (call $read_member (local.get $name) (local.get $p))
        (local.set $p (call $following (local.get $p)))
        (br $more))))
    (if (global.get $problem) (then (return)))
    (if (i32.eqz (global.get $target)) (then (global.set $problem (global.get $m_target)) (return)))
    (if (i32.eqz (global.get $operation)) (then (global.set $problem (global.get $m_operation)) (return)))
    (global.set $slash (call $find (call $bytes (global.get $target)) (i32.load (global.get $target)) (i32.const 0x2f)))
    (global.set $readable (i32.and
      (call $is_operation (call $bytes (global.get $operation)) (i32.load (global.get $operation)))
      (call $is_target (call $bytes (global.get $target)) (i32.load (global.get $target)) (i32.const 0)))))

  ;; Reads the envelope of every verb but describe.
  (func $read
    (local $tool i32)
    (call $read_input)
    (call $check_value (i32.const 0))
    (call $blanks)
    (if (i32.ne (global.get $at) (global.get $end)) (then (call $fail (global.get $e_json))))
    (global.set $envelope (call $next (i32.const 0x10000)))
    (if (i32.ne (call $kind (global.get $envelope)) (i32.const 0x7b)) (then (call $fail (global.get $e_kind))))
    (local.set $tool (call $given (global.get $envelope) (global.get $m_tool) (i32.const 0x22)))
    (if (i32.eqz (local.get $tool)) (then (call $fail (global.get $e_tool))))
    (local.set $tool (call $text (local.get $tool)))
    (if (i32.eqz (i32.or (call $is (local.get $tool) (global.get $own_name)) (call $is (local.get $tool) (global.get $own_alias))))
      (then (call $fail (global.get $e_tool))))
    (drop (call $given (global.get $envelope) (global.get $m_context) (i32.const 0x7b)))
    (call $read_call (call $member (global.get $envelope) (global.get $m_input))))

  ;; Whether the stage is one of the operator's; a configuration of another shape
  ;; makes every stage one.
  (func $is_production (result i32)
    (local $config i32) (local $p i32) (local $found i32) (local $text i32)
    (local.set $config (call $member (global.get $envelope) (global.get $m_config)))
    (if (i32.eq (call $kind (local.get $config)) (i32.const 0x6e)) (then (local.set $config (i32.const 0))))
    (if (local.get $config) (then
      (if (i32.ne (call $kind (local.get $config)) (i32.const 0x7b)) (then (return (i32.const 1))))
      (local.set $config (call $member (local.get $config) (global.get $m_production)))))
    (if (i32.eqz (local.get $config)) (then
      (return (call $equal (call $bytes (global.get $target)) (global.get $slash) (global.get $prod) (call $length (global.get $prod))))))
    (if (i32.ne (call $kind (local.get $config)) (i32.const 0x5b)) (then (return (i32.const 1))))
    (local.set $p (call $first (local.get $config) (i32.const 0x5b)))
    (loop $more
      (if (local.get $p) (then
        (if (i32.ne (call $kind (local.get $p)) (i32.const 0x22)) (then (return (i32.const 1))))
        (local.set $text (call $text (local.get $p)))
        (local.set $found (i32.or (local.get $found)
          (call $equal (call $bytes (local.get $text)) (i32.load (local.get $text)) (call $bytes (global.get $target)) (global.get $slash))))
        (local.set $p (call $following (local.get $p)))
        (br $more))))
    (local.get $found))

  ;; A text member of a target: 0 when it is left out or empty.
  (func $text_of (param $object i32) (param $name i32) (result i32)
    (local $value i32)
    (local.set $value (call $given (local.get $object) (local.get $name) (i32.const 0x22)))
    (if (local.get $value) (then
      (local.set $value (call $text (local.get $value)))
      (if (i32.eqz (i32.load (local.get $value))) (then (local.set $value (i32.const 0))))))
    (local.get $value))

  ;; Whether the host found the configuration's path in a working directory.
  (func $is_inside (result i32)
    (local $p i32) (local $kind i32) (local $value i32) (local $claimed i32)
    (if (i32.eqz (call $is_path (global.get $config_path))) (then (return (i32.const 0))))
    (local.set $p (call $given (global.get $envelope) (global.get $m_context) (i32.const 0x7b)))
    (local.set $p (call $first (call $given (local.get $p) (global.get $m_targets) (i32.const 0x5b)) (i32.const 0x5b)))
    (loop $more
      (if (local.get $p) (then
        (local.set $kind (call $text_of (local.get $p) (global.get $m_kind)))
        (local.set $value (call $text_of (local.get $p) (global.get $m_value)))
        (if (i32.and (i32.ne (local.get $kind) (i32.const 0)) (i32.ne (local.get $value) (i32.const 0))) (then
          (if (i32.and (call $is (local.get $kind) (global.get $path)) (call $same (local.get $value) (global.get $config_path))) (then
            (local.set $claimed (call $given (local.get $p) (global.get $m_claimed) (i32.const 0x74)))
            (return (i32.and
              (i32.and (i32.eqz (call $text_of (local.get $p) (global.get $m_error)))
                       (i32.ne (call $text_of (local.get $p) (global.get $m_inside)) (i32.const 0)))
              (i32.ne (call $kind (local.get $claimed)) (i32.const 0x74))))))))
        (local.set $p (call $following (local.get $p)))
        (br $more))))
    (i32.const 0))

  ;; What check_permissions thinks: 0 nothing, 1 the shape is wrong, 2 the operation, 3
  ;; the target, 4 production, 5 the configuration is elsewhere. 1 to 4 are bypass-immune.
  (func $judge (result i32)
    (if (global.get $problem) (then (return (i32.const 1))))
    (if (i32.eqz (call $is_operation (call $bytes (global.get $operation)) (i32.load (global.get $operation)))) (then (return (i32.const 2))))
    (if (i32.eqz (global.get $readable)) (then (return (i32.const 3))))
    (if (i32.eqz (i32.or (call $is (global.get $operation) (global.get $status)) (global.get $dry_run))) (then
      (if (call $is_production) (then (return (i32.const 4))))))
    (if (global.get $config_path) (then
      (if (i32.eqz (call $is_inside)) (then (return (i32.const 5))))))
    (i32.const 0))

  ;; Whether a text matches a pattern, in which * is any run of bytes.
  (func $wildcard (param $pattern i32) (param $pattern_size i32) (param $text i32) (param $size i32) (result i32)
    (local $p i32) (local $t i32) (local $star i32) (local $mark i32) (local $c i32)
    (local.set $star (i32.const -1))
    (loop $more
      (if (i32.lt_u (local.get $t) (local.get $size)) (then
        (local.set $c (if (result i32) (i32.lt_u (local.get $p) (local.get $pattern_size))
          (then (i32.load8_u (i32.add (local.get $pattern) (local.get $p)))) (else (i32.const -1))))
        (if (i32.eq (local.get $c) (i32.const 0x2a)) (then
          (local.set $star (local.get $p))
          (local.set $mark (local.get $t))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br $more)))
        (if (i32.eq (local.get $c) (i32.load8_u (i32.add (local.get $text) (local.get $t)))) (then
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (local.set $t (i32.add (local.get $t) (i32.const 1)))
          (br $more)))
        (if (i32.eq (local.get $star) (i32.const -1)) (then (return (i32.const 0))))
        (local.set $p (i32.add (local.get $star) (i32.const 1)))
        (local.set $mark (i32.add (local.get $mark) (i32.const 1)))
        (local.set $t (local.get $mark))
        (br $more))))
    (loop $stars
      (if (i32.lt_u (local.get $p) (local.get $pattern_size)) (then
        (if (i32.ne (i32.load8_u (i32.add (local.get $pattern) (local.get $p))) (i32.const 0x2a)) (then (return (i32.const 0))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $stars))))
    (i32.const 1))

  ;; Whether a rule covers the call; $unread, what it comes to when it does not read as a rule.
  (func $covers (param $rule i32) (param $unread i32) (result i32)
    (local $p i32) (local $size i32) (local $blank i32) (local $i i32)
    (local.set $p (call $bytes (local.get $rule)))
    (local.set $size (i32.load (local.get $rule)))
    (local.set $blank (call $find (local.get $p) (local.get $size) (i32.const 0x20)))
    (if (i32.lt_u (local.get $blank) (local.get $size)) (then
      (if (i32.eqz (call $is_operation (local.get $p) (local.get $blank))) (then (return (local.get $unread))))
      (local.set $i (i32.add (local.get $blank) (i32.const 1)))))
    (if (i32.eqz (call $is_target (i32.add (local.get $p) (local.get $i)) (i32.sub (local.get $size) (local.get $i)) (i32.const 1)))
      (then (return (local.get $unread))))
    (if (local.get $i) (then
      (if (i32.eqz (call $equal (local.get $p) (local.get $blank) (call $bytes (global.get $operation)) (i32.load (global.get $operation))))
        (then (return (i32.const 0))))))
    (local.set $p (i32.add (local.get $p) (local.get $i)))
    (local.set $size (i32.sub (local.get $size) (local.get $i)))
    (local.set $i (call $find (local.get $p) (local.get $size) (i32.const 0x2f)))
    (if (i32.eqz (call $wildcard (local.get $p) (local.get $i) (call $bytes (global.get $target)) (global.get $slash))) (then (return (i32.const 0))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (call $wildcard (i32.add (local.get $p) (local.get $i)) (i32.sub (local.get $size) (local.get $i))
      (call $service) (call $service_size)))

  (func $service (result i32) (i32.add (i32.add (call $bytes (global.get $target)) (global.get $slash)) (i32.const 1)))
  (func $service_size (result i32) (i32.sub (i32.sub (i32.load (global.get $target)) (global.get $slash)) (i32.const 1)))

  ;; ---- Writing the answer, behind the heap ----
  (func $begin
    (global.set $out_start (global.get $heap))
    (global.set $out (global.get $heap)))

  (func $put_bytes (param $p i32) (param $size i32)
    (call $ensure (i32.add (global.get $out) (local.get $size)))
    (call $copy (global.get $out) (local.get $p) (local.get $size))
    (global.set $out (i32.add (global.get $out) (local.get $size))))

  (func $put (param $literal i32) (call $put_bytes (local.get $literal) (call $length (local.get $literal))))

  (func $put_byte (param $byte i32)
    (call $ensure (i32.add (global.get $out) (i32.const 1)))
    (i32.store8 (global.get $out) (local.get $byte))
    (global.set $out (i32.add (global.get $out) (i32.const 1))))

  ;; Only for texts that were found to need no escapes.
  (func $put_text (param $text i32) (call $put_bytes (call $bytes (local.get $text)) (i32.load (local.get $text))))
  (func $put_stage (call $put_bytes (call $bytes (global.get $target)) (global.get $slash)))

  (func $put_number (param $n i32)
    (if (i32.ge_u (local.get $n) (i32.const 10)) (then (call $put_number (i32.div_u (local.get $n) (i32.const 10)))))
    (call $put_byte (i32.add (i32.const 0x30) (i32.rem_u (local.get $n) (i32.const 10)))))

  ;; OPERATION TARGET
  (func $put_title
    (call $put_text (global.get $operation))
    (call $put_byte (i32.const 0x20))
    (call $put_text (global.get $target)))

  (func $answer (result i32)
    (local $size i32)
    (local.set $size (i32.sub (global.get $out) (global.get $out_start)))
    (call $output_set (call $to_host (global.get $out_start) (local.get $size)) (i64.extend_i32_u (local.get $size)))
    (i32.const 0))

  (func $answer_with (param $literal i32) (result i32)
    (call $output_set (call $to_host (local.get $literal) (call $length (local.get $literal))) (i64.extend_i32_u (call $length (local.get $literal))))
    (i32.const 0))

  ;; ---- The exports ----
  (func (export "describe") (result i32) (call $answer_with (global.get $description)))

  (func (export "check_permissions") (result i32)
    (local $verdict i32)
    (call $read)
    (local.set $verdict (call $judge))
    (call $begin)
    (if (i32.eq (local.get $verdict) (i32.const 1)) (then
      (call $put (global.get $a_shape))
      (call $put (global.get $problem))
      (call $put_byte (i32.const 0x22))
      (call $put_byte (i32.const 0x7d))
      (return (call $answer))))
    (if (i32.eq (local.get $verdict) (i32.const 2)) (then (return (call $answer_with (global.get $a_operation)))))
    (if (i32.eq (local.get $verdict) (i32.const 3)) (then (return (call $answer_with (global.get $a_target)))))
    (if (i32.eq (local.get $verdict) (i32.const 4)) (then
      (call $put (global.get $a_production))
      (call $put_text (global.get $target))
      (call $put (global.get $a_is_production))
      (return (call $answer))))
    (if (i32.eq (local.get $verdict) (i32.const 5)) (then (return (call $answer_with (global.get $a_outside)))))
    (call $answer_with (global.get $a_passthrough)))

  ;; Names what is safe: an operation added later is not read-only.
  (func (export "check_read_only") (result i32)
    (call $read)
    (if (i32.or (i32.eqz (global.get $readable)) (global.get $unknown)) (then (return (call $answer_with (global.get $a_changes)))))
    (if (i32.eqz (call $is (global.get $operation) (global.get $status))) (then (return (call $answer_with (global.get $a_changes)))))
    (call $answer_with (global.get $a_read_only)))

  ;; What cannot be read, call or rule, is covered by no allow rule and by every deny
  ;; and ask rule. An input with unknown members is covered by no allow rule either.
  (func (export "match_rule") (result i32)
    (local $behavior i32) (local $allow i32) (local $p i32) (local $i i32) (local $any i32) (local $rule i32) (local $covered i32)
    (call $read)
    (local.set $behavior (call $given (global.get $envelope) (global.get $m_behavior) (i32.const 0x22)))
    (if (i32.eqz (local.get $behavior)) (then (call $fail (global.get $e_behavior))))
    (local.set $behavior (call $text (local.get $behavior)))
    (local.set $allow (call $is (local.get $behavior) (global.get $allow)))
    (if (i32.eqz (i32.or (local.get $allow) (i32.or (call $is (local.get $behavior) (global.get $deny)) (call $is (local.get $behavior) (global.get $ask)))))
      (then (call $fail (global.get $e_behavior))))
    (local.set $p (call $first (call $given (global.get $envelope) (global.get $m_rules) (i32.const 0x5b)) (i32.const 0x5b)))
    (call $begin)
    (call $put (global.get $a_matched))
    (loop $more
      (if (local.get $p) (then
        (if (i32.ne (call $kind (local.get $p)) (i32.const 0x7b)) (then (call $fail (global.get $e_kind))))
        (global.set $heap (i32.add (global.get $out) (i32.const 16))) ;; behind the answer, and given back each time
        (local.set $rule (call $given (local.get $p) (global.get $m_content) (i32.const 0x22)))
        (if (i32.eqz (local.get $rule)) (then (call $fail (global.get $e_kind))))
        (local.set $covered (if (result i32) (global.get $readable)
          (then (call $covers (call $text (local.get $rule)) (i32.eqz (local.get $allow))))
          (else (i32.eqz (local.get $allow)))))
        (if (i32.and (local.get $allow) (global.get $unknown)) (then (local.set $covered (i32.const 0))))
        (if (local.get $covered) (then
          (if (local.get $any) (then (call $put_byte (i32.const 0x2c))))
          (call $put_number (local.get $i))
          (local.set $any (i32.const 1))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (local.set $p (call $following (local.get $p)))
        (br $more))))
    (call $put (global.get $a_end))
    (call $answer))

  (func (export "generate_suggestions") (result i32)
    (local $verdict i32)
    (call $read)
    (local.set $verdict (call $judge))
    (call $begin)
    (call $put (global.get $a_rules))
    (if (i32.eqz (i32.or (global.get $unknown) (i32.lt_u (i32.sub (local.get $verdict) (i32.const 1)) (i32.const 4)))) (then
      (call $put (global.get $a_content))
      (call $put_title)
      (call $put (global.get $a_exact))
      (call $put_text (global.get $operation))
      (call $put (global.get $a_its_target))
      (call $put_text (global.get $target))
      (call $put (global.get $a_two))
      (call $put (global.get $a_miss_end))
      (call $put_byte (i32.const 0x2c))
      (call $put (global.get $a_content))
      (call $put_text (global.get $operation))
      (call $put_byte (i32.const 0x20))
      (call $put_stage)
      (call $put (global.get $a_every))
      (call $put_stage)
      (call $put (global.get $a_misses))
      (call $put_text (global.get $operation))
      (call $put (global.get $a_its_target))
      (call $put_stage)
      (call $put (global.get $a_two))
      (call $put_byte (i32.const 0x2f))
      (call $put_bytes (call $service) (call $service_size))
      (call $put (global.get $a_miss_end))))
    (call $put (global.get $a_end))
    (call $answer))

  (func (export "describe_call") (result i32)
    (call $read)
    (call $begin)
    (if (global.get $readable)
      (then
        (call $put (global.get $a_action))
        (call $put_title)
        (if (global.get $dry_run) (then (call $put (global.get $a_dry_run))))
        (call $put (global.get $a_title))
        (call $put_title)
        (call $put_byte (i32.const 0x22))
        (if (global.get $config_path) (then
          (if (call $is_path (global.get $config_path))
            (then
              (call $put (global.get $a_targets))
              (call $put_bytes (global.get $config_value) (i32.sub (call $after_string (global.get $config_value)) (global.get $config_value)))
              (call $put (global.get $a_targets_end)))
            (else (call $put (global.get $a_untold)))))))
      (else (call $put (global.get $a_unknown))))
    (if (i32.and (global.get $unknown) (i32.eqz (global.get $problem))) (then (call $put (global.get $a_not_analysed))))
    (call $put_byte (i32.const 0x7d))
    (call $answer)))
