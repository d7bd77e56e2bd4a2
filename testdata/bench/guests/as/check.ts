// One permission check in AssemblyScript: the envelope is read as JSON, the
// command is held against a few rules, the answer is written as JSON.
@external("extism:host/env", "input_length") declare function input_length(): u64;
@external("extism:host/env", "input_load_u8") declare function input_load_u8(index: u64): u8;
@external("extism:host/env", "input_load_u64") declare function input_load_u64(index: u64): u64;
@external("extism:host/env", "alloc") declare function host_alloc(size: u64): u64;
@external("extism:host/env", "store_u8") declare function store_u8(offset: u64, value: u8): void;
@external("extism:host/env", "store_u64") declare function store_u64(offset: u64, value: u64): void;
@external("extism:host/env", "output_set") declare function output_set(offset: u64, size: u64): void;
@external("extism:host/env", "error_set") declare function error_set(offset: u64): void;

// write copies the text to the host, eight bytes at a time as the kits do.
function write(text: string): u64 {
  const bytes = String.UTF8.encode(text), size = bytes.byteLength, from = changetype<usize>(bytes);
  const offset = host_alloc(size);
  let i = 0;
  for (; i + 8 <= size; i += 8) store_u64(offset + i, load<u64>(from + i));
  for (; i < size; i++) store_u8(offset + i, load<u8>(from + i));
  return offset;
}

function answer(text: string): i32 {
  const offset = write(text);
  output_set(offset, String.UTF8.byteLength(text));
  return 0;
}

function input(): string {
  const size = <i32>input_length(), bytes = new ArrayBuffer(size), to = changetype<usize>(bytes);
  let i = 0;
  for (; i + 8 <= size; i += 8) store<u64>(to + i, input_load_u64(i));
  for (; i < size; i++) store<u8>(to + i, input_load_u8(i));
  return String.UTF8.decode(bytes);
}

// stop is what `abort` becomes: the message is set, and the call traps.
export function stop(message: string, file: string, line: u32, column: u32): void {
  error_set(write(message));
  unreachable();
}

class Rule {
  constructor(public prefix: string, public behavior: string) {}
}

const rules: Rule[] = [
  new Rule("rm -rf", "deny"), new Rule("sudo ", "deny"), new Rule("git push", "ask"), new Rule("curl ", "ask"),
  new Rule("git status", "allow"), new Rule("go test", "allow"), new Rule("make ", "allow"), new Rule("npm run ", "allow"),
];

// Reader reads one JSON value and keeps the strings that the check is about.
class Reader {
  at: i32 = 0;
  tool: string = "";
  command: string = "";
  mode: string = "";
  constructor(public text: string) {}

  blanks(): void {
    while (this.at < this.text.length) {
      const c = this.text.charCodeAt(this.at);
      if (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09) return;
      this.at++;
    }
  }

  take(c: i32): bool {
    this.blanks();
    if (this.at >= this.text.length || this.text.charCodeAt(this.at) != c) return false;
    this.at++;
    return true;
  }

  want(c: i32): void {
    if (!this.take(c)) throw new Error("not JSON at " + this.at.toString());
  }

  string(): string {
    this.want(0x22);
    let start = this.at;
    let decoded = "";
    while (true) {
      if (this.at >= this.text.length) throw new Error("a string is not closed");
      const c = this.text.charCodeAt(this.at);
      if (c == 0x22) break;
      if (c < 0x20) throw new Error("a control character in a string");
      this.at++;
      if (c != 0x5c) continue;
      decoded += this.text.substring(start, this.at - 1) + this.escape();
      start = this.at;
    }
    const last = this.text.substring(start, this.at);
    this.at++;
    return decoded.length ? decoded + last : last;
  }

  escape(): string {
    const c = this.text.charAt(this.at++);
    if (c == "n") return "\n";
    if (c == "t") return "\t";
    if (c == "r") return "\r";
    if (c == "b") return "\b";
    if (c == "f") return "\f";
    if (c == "u") {
      const code = this.text.substring(this.at, this.at + 4);
      this.at += 4;
      return String.fromCharCode(I32.parseInt(code, 16));
    }
    if (c == '"' || c == "\\" || c == "/") return c;
    throw new Error("unknown escape " + c);
  }

  value(key: string, depth: i32): void {
    if (depth > 32) throw new Error("nested too deeply");
    this.blanks();
    const c = this.at < this.text.length ? this.text.charCodeAt(this.at) : 0;
    if (c == 0x7b) this.object(depth);
    else if (c == 0x5b) this.array(depth);
    else if (c == 0x22) this.keep(key, this.string());
    else this.word();
  }

  keep(key: string, text: string): void {
    if (key == "tool") this.tool = text;
    if (key == "command") this.command = text;
    if (key == "mode") this.mode = text;
  }

  object(depth: i32): void {
    this.want(0x7b);
    if (this.take(0x7d)) return;
    do {
      this.blanks();
      const key = this.string();
      this.want(0x3a);
      this.value(key, depth + 1);
    } while (this.take(0x2c));
    this.want(0x7d);
  }

  array(depth: i32): void {
    this.want(0x5b);
    if (this.take(0x5d)) return;
    do {
      this.value("", depth + 1);
    } while (this.take(0x2c));
    this.want(0x5d);
  }

  // word is a number, true, false or null.
  word(): void {
    const start = this.at;
    while (this.at < this.text.length) {
      const c = this.text.charCodeAt(this.at);
      if (c == 0x2c || c == 0x5d || c == 0x7d || c <= 0x20) break;
      this.at++;
    }
    const w = this.text.substring(start, this.at);
    if (w != "true" && w != "false" && w != "null" && isNaN(parseFloat(w))) throw new Error("unknown word " + w);
  }
}

function quoted(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

export function check_permissions(): i32 {
  const r = new Reader(input());
  r.value("", 0);
  r.blanks();
  if (r.at != r.text.length) throw new Error("text after the value");
  let prefix = "", behavior = "passthrough";
  for (let i = 0; i < rules.length; i++) {
    if (r.command.startsWith(rules[i].prefix)) {
      prefix = rules[i].prefix;
      behavior = rules[i].behavior;
      break;
    }
  }
  return answer('{"behavior":"' + behavior + '","reason":"' + quoted(r.tool) + " in mode " + quoted(r.mode) +
    ": the command begins with '" + prefix + "'\"}");
}

export function describe(): i32 {
  return answer('{"abi":1,"name":"check","version":"1.0.0","tools":[{"name":"Bash"}]}');
}
export function check_read_only(): i32 { return answer('{"read_only":false}'); }
export function match_rule(): i32 { return answer('{"matched":[]}'); }
export function generate_suggestions(): i32 { return answer('{"rules":[]}'); }
