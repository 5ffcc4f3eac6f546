/**
 * Compiles the `pattern` of a schema: a regular expression without look-around and back-references, as a program for
 * `match.ts`. Tenants write patterns, and the engine of RegExp can take exponential time.
 */
import { COMPILING_STEPS, Meter, PRICES } from "../../work/meter";

/** Ranges of code points, both ends included; `negated` stands for all others. */
export interface CharacterSet {
  ranges: readonly (readonly [from: number, to: number])[];
  negated: boolean;
}

type Instruction =
  | { is: "character"; set: CharacterSet }
  | { is: "split"; to: number; or: number }
  | { is: "jump"; to: number }
  | { is: "start" | "end" | "boundary" | "inside" }
  | { is: "match" };

export type Program = readonly Instruction[];

/** Thrown for a pattern that is refused. The message says why. */
export class PatternError extends Error {}

const MAX_CHARACTERS = 256;
/** Bounds the program that `(a{100}){100}` would become. */
const MAX_INSTRUCTIONS = 2000;
const MAX_REPEATS = 1000;
const MAX_CODE_POINT = 0x10ffff;

const DIGITS: CharacterSet["ranges"] = [[0x30, 0x39]];
const WORD: CharacterSet["ranges"] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
export const WORD_CHARACTERS: CharacterSet = { ranges: WORD, negated: false };
const SPACES: CharacterSet["ranges"] = [
  ...([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
  ] as const),
  ...([
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
];
const LINE_ENDS: CharacterSet["ranges"] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

const CLASSES: Readonly<Record<string, CharacterSet>> = {
  d: { ranges: DIGITS, negated: false },
  D: { ranges: DIGITS, negated: true },
  w: WORD_CHARACTERS,
  W: { ranges: WORD, negated: true },
  s: { ranges: SPACES, negated: false },
  S: { ranges: SPACES, negated: true },
};

const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d, 0: 0 };

/** What can be escaped to stand for itself. */
const SYNTAX = "^$\\.*+?()[]{}|/-";

/** A part of a program: instructions whose targets count from its own beginning. */
type Fragment = Instruction[];

/** Compiles a pattern. Throws PatternError, and OutOfSteps: each level of groups copies what is in it. */
export function compilePattern(pattern: string, meter = new Meter(COMPILING_STEPS)): Program {
  if ([...pattern].length > MAX_CHARACTERS) throw new PatternError(`Must have at most ${MAX_CHARACTERS} characters`);
  const parser = new Parser([...pattern], meter);
  return [...parser.all(), { is: "match" }];
}

class Parser {
  #at = 0;

  constructor(
    readonly characters: readonly string[],
    readonly meter: Meter,
  ) {}

  all(): Fragment {
    const program = this.#alternatives();
    if (this.#at < this.characters.length) throw new PatternError("Has a ) without its (");
    return program;
  }

  #peek(): string | undefined {
    return this.characters[this.#at];
  }

  #take(text: string): boolean {
    const found = this.characters.slice(this.#at, this.#at + text.length).join("") === text;
    if (found) this.#at += text.length;
    return found;
  }

  #alternatives(): Fragment {
    const first = this.#sequence();
    if (!this.#take("|")) return first;
    const others = this.#alternatives();
    return bounded([
      { is: "split", to: 1, or: first.length + 2 },
      ...moved(first, 1, this.meter),
      { is: "jump", to: first.length + 2 + others.length },
      ...moved(others, first.length + 2, this.meter),
    ]);
  }

  #sequence(): Fragment {
    const program: Fragment = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      append(program, this.#repeated(), this.meter);
    }
    return program;
  }

  #repeated(): Fragment {
    const anchor = this.#anchor();
    if (anchor) {
      if ("*+?{".includes(this.#peek() ?? " ")) throw new PatternError("Repeats something that is no character");
      return [anchor];
    }
    const once = this.#once();
    const [least, most] = this.#quantifier();
    this.#take("?");
    return repeat(once, least, most, this.meter);
  }

  #anchor(): Instruction | undefined {
    if (this.#take("^")) return { is: "start" };
    if (this.#take("$")) return { is: "end" };
    if (this.#take("\\b")) return { is: "boundary" };
    return this.#take("\\B") ? { is: "inside" } : undefined;
  }

  #once(): Fragment {
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return character(this.#brackets());
    if (this.#take(".")) return character({ ranges: LINE_ENDS, negated: true });
    if (this.#take("\\")) return character(this.#escape(false));
    const next = this.#peek() ?? "";
    if ("*+?{}]".includes(next)) throw new PatternError(`Has a ${next} that needs a \\ before it`);
    this.#at += 1;
    return character(one(next));
  }

  #group(): Fragment {
    if (this.#take("?") && !this.#take(":")) {
      if (!this.#take("<") || this.#peek() === "=" || this.#peek() === "!") {
        throw new PatternError("Must not look ahead or behind");
      }
      while (/^[\w$]$/.test(this.#peek() ?? "")) this.#at += 1;
      if (!this.#take(">")) throw new PatternError("Has a group whose name does not end");
    }
    const inner = this.#alternatives();
    if (!this.#take(")")) throw new PatternError("Has a ( without its )");
    return inner;
  }

  #quantifier(): [least: number, most: number] {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return [1, 1];
    const end = this.characters.indexOf("}", this.#at);
    const [, from = "", comma = "", to = ""] =
      /^(\d{1,9})(,?)(\d{0,9})$/.exec(this.characters.slice(this.#at, Math.max(end, this.#at)).join("")) ?? [];
    if (from === "") throw new PatternError("Has a { that needs a \\ before it");
    this.#at = end + 1;
    const most = comma === "" ? Number(from) : to === "" ? Infinity : Number(to);
    if (Number(from) > most) throw new PatternError("Has a repetition whose numbers are out of order");
    if (Number(from) > MAX_REPEATS || (most > MAX_REPEATS && most !== Infinity)) {
      throw new PatternError(`Must not repeat anything more than ${MAX_REPEATS} times`);
    }
    return [Number(from), most];
  }

  /** What is in brackets, up to and with the closing one. */
  #brackets(): CharacterSet {
    const negated = this.#take("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take("]")) {
      if (this.#peek() === undefined) throw new PatternError("Has a [ without its ]");
      const first = this.#inBrackets();
      const from = single(first);
      const isRange = from !== null && this.#peek() === "-" && this.characters[this.#at + 1] !== "]";
      if (!isRange) ranges.push(...included(first));
      else {
        this.#at += 1;
        const to = single(this.#inBrackets());
        if (to === null || to < from) throw new PatternError("Has a range whose ends are out of order");
        ranges.push([from, to]);
      }
    }
    return { ranges, negated };
  }

  #inBrackets(): CharacterSet {
    if (this.#take("\\")) return this.#escape(true);
    const next = this.#peek() ?? "";
    this.#at += 1;
    return one(next);
  }

  /** What follows a backslash. */
  #escape(inBrackets: boolean): CharacterSet {
    const next = this.#peek() ?? "";
    this.#at += 1;
    const set = CLASSES[next];
    if (set) return set;
    if (inBrackets && next === "b") return point(0x08);
    const control = CONTROLS[next];
    if (control !== undefined && !(next === "0" && /\d/.test(this.#peek() ?? ""))) return point(control);
    if (next === "x") return point(this.#hex(2));
    if (next === "u") return point(this.#take("{") ? this.#braced() : this.#hex(4));
    if (next !== "" && SYNTAX.includes(next)) return one(next);
    if (/[1-9k]/.test(next)) throw new PatternError("Must not refer back to a group");
    throw new PatternError(`Has an escape that is not supported: \\${next}`);
  }

  #hex(digits: number): number {
    const text = this.characters.slice(this.#at, this.#at + digits).join("");
    if (text.length !== digits || !/^[0-9a-f]+$/i.test(text)) throw new PatternError("Has an incomplete escape");
    this.#at += digits;
    return Number.parseInt(text, 16);
  }

  #braced(): number {
    const end = this.characters.indexOf("}", this.#at);
    const text = this.characters.slice(this.#at, Math.max(end, this.#at)).join("");
    const value = /^[0-9a-f]{1,6}$/i.test(text) ? Number.parseInt(text, 16) : Infinity;
    if (value > MAX_CODE_POINT) throw new PatternError("Has an incomplete escape");
    this.#at = end + 1;
    return value;
  }
}

const character = (set: CharacterSet): Fragment => [{ is: "character", set }];
const point = (code: number): CharacterSet => ({ ranges: [[code, code]], negated: false });
const one = (text: string): CharacterSet => point(text.codePointAt(0) ?? 0);

/** The code point of a set that has just one; otherwise null. */
function single({ ranges: [range, ...others], negated }: CharacterSet): number | null {
  return range && range[0] === range[1] && others.length === 0 && !negated ? range[0] : null;
}

/** The ranges of a set in brackets: those between its own if it stands for all others. */
function included({ ranges, negated }: CharacterSet): CharacterSet["ranges"] {
  if (!negated) return ranges;
  const ends = [-1, ...ranges.map(([, to]) => to)];
  const starts = [...ranges.map(([from]) => from), MAX_CODE_POINT + 1];
  return ends.map((end, place) => [end + 1, (starts[place] ?? 0) - 1] as const).filter(([from, to]) => from <= to);
}

/** A fragment `by` instructions further on. */
function moved(program: Fragment, by: number, meter: Meter): Fragment {
  meter.pay(program.length * PRICES.instruction);
  return program.map((step) => {
    if (step.is === "split") return { ...step, to: step.to + by, or: step.or + by };
    return step.is === "jump" ? { ...step, to: step.to + by } : step;
  });
}

function bounded(program: Fragment): Fragment {
  if (program.length > MAX_INSTRUCTIONS) throw new PatternError("Is too large once its repetitions are written out");
  return program;
}

/** Appends instructions whose targets count from their own beginning. Throws PatternError for a program too large. */
function append(program: Fragment, part: Fragment, meter: Meter): void {
  for (const step of moved(part, program.length, meter)) program.push(step);
  bounded(program);
}

/** Writes a repetition out. */
function repeat(once: Fragment, least: number, most: number, meter: Meter): Fragment {
  const program: Fragment = [];
  for (let count = 0; count < least; count += 1) append(program, once, meter);
  if (most === Infinity) {
    const from = program.length;
    program.push({ is: "split", to: from + 1, or: from + once.length + 2 });
    append(program, once, meter);
    program.push({ is: "jump", to: from });
    return bounded(program);
  }
  const end = program.length + (most - least) * (once.length + 1);
  for (let count = least; count < most; count += 1) {
    program.push({ is: "split", to: program.length + 1, or: end });
    append(program, once, meter);
  }
  return program;
}
