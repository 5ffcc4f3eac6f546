/** Runs the program of a pattern on a text: all of its states at once, so a text is read only once. */
import { type Meter, PRICES } from "../../work/meter";
import { type CharacterSet, type Program, WORD_CHARACTERS } from "./pattern";

/** Whether the pattern matches somewhere in the text. Throws OutOfSteps. */
export function matches(program: Program, text: string, meter: Meter): boolean {
  const run = new Run(program, meter);
  let before = -1;
  for (let at = 0; at <= text.length; ) {
    const code = text.codePointAt(at) ?? -1;
    if (run.enter(before, code)) return true;
    if (code === -1) return false;
    run.step(code);
    before = code;
    at += code > 0xffff ? 2 : 1;
  }
  return false;
}

class Run {
  /** The instructions that wait for the next character. */
  #waiting: number[] = [];
  /** In which round each instruction was last visited, so that none is twice in a round. */
  readonly #visited: Int32Array;
  #round = 0;
  /** The instructions to begin the next round with. */
  #next: number[] = [];

  constructor(
    readonly program: Program,
    readonly meter: Meter,
  ) {
    meter.pay(program.length * PRICES.instructionRoom);
    this.#visited = new Int32Array(program.length).fill(-1);
  }

  /** Follows what needs no character, between two code points; -1 is an end of the text. True at a match. */
  enter(before: number, after: number): boolean {
    this.#round += 1;
    this.#waiting.length = 0;
    const stack = this.#next;
    // The pattern may begin at each place of the text.
    stack.push(0);
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (this.#visited[place] === this.#round) continue;
      this.#visited[place] = this.#round;
      this.meter.pay(PRICES.comparison);
      const step = this.program[place];
      if (step?.is === "match") return true;
      if (step?.is === "character") this.#waiting.push(place);
      else if (step?.is === "jump") stack.push(step.to);
      else if (step?.is === "split") stack.push(step.or, step.to);
      else if (step && holds(step.is, before, after)) stack.push(place + 1);
    }
    return false;
  }

  /** Reads one character. */
  step(code: number): void {
    for (const place of this.#waiting) {
      const step = this.program[place];
      if (step?.is !== "character") continue;
      this.meter.pay(step.set.ranges.length * PRICES.comparison);
      if (has(step.set, code)) this.#next.push(place + 1);
    }
  }
}

function has({ ranges, negated }: CharacterSet, code: number): boolean {
  for (const range of ranges) if (code >= range[0] && code <= range[1]) return !negated;
  return negated;
}

function holds(anchor: "start" | "end" | "boundary" | "inside", before: number, after: number): boolean {
  if (anchor === "start") return before === -1;
  if (anchor === "end") return after === -1;
  return (isWord(before) !== isWord(after)) === (anchor === "boundary");
}

const isWord = (code: number): boolean => has(WORD_CHARACTERS, code);
