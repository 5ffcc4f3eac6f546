/**
 * Counts what it costs to run what tenants write: filters, schemas, patterns, imports and exports. Each piece of work
 * is paid before it is done, at one list of prices, and no request can spend more than `REQUEST_STEPS`.
 */

/** What work costs, in steps. A step takes about half a microsecond. */
export const PRICES = {
  /** A subschema on a value, or one that is compiled or written. */
  subschema: 1,
  /** A value that a filter looks at. */
  value: 1,
  /** Comparing two values that are no objects, or a state of a pattern. */
  comparison: 0.1,
  /** Listing a member of an object, or an element of a list. */
  member: 0.1,
  /** A member in a canonical text: members are sorted. */
  sortedMember: 1.5,
  /** A character of a value whose canonical text is made: a member has at least six. */
  canonicalCharacter: 0.25,
  /** An item that is put into a set. */
  keptItem: 0.5,
  /** A character that is read one by one, such as by `$contains` or a format, or while JSON is parsed. */
  character: 0.02,
  /** A character of a text that is copied and kept. */
  copiedCharacter: 0.01,
  /** A character of two texts that are compared at once. */
  comparedCharacter: 0.001,
  /** An instruction of a pattern, each time that it is copied while the pattern is compiled. */
  instruction: 0.1,
  /** A character of a stored filter that is parsed and checked. */
  filterCharacter: 0.25,
  /** An instruction of a pattern that is kept: so many bytes are held as long as the request takes. */
  keptInstruction: 4,
  /** A character of a stored schema that is parsed and compiled. */
  schemaCharacter: 0.1,
  /** Room for an instruction while the pattern runs. */
  instructionRoom: 0.005,
} as const;

/** What a filter may spend on one event. Beyond it, the event is sent. */
export const FILTER_STEPS = 20_000;
/** What a validation may spend. Beyond it, the value is invalid. */
export const VALIDATION_STEPS = 200_000;
/** What compiling a schema may spend. Beyond it, the schema is refused. */
export const COMPILING_STEPS = 200_000;
/** What all of these may spend in one request, and an import or an export by itself. */
export const REQUEST_STEPS = 1_000_000;
/** What the filter of one replay may spend in a run, so that 50 of them take no more than a few seconds. */
export const REPLAY_STEPS = 100_000;
/** What counting the deliveries of a replay may spend: a quarter of a second, most of it for payloads. */
export const COUNTING_STEPS = 300_000;

/** Thrown before work that would cost more than is left. */
export class OutOfSteps extends Error {}

export class Meter {
  #spent = 0;

  /** `request` pays too: it has the other work of the same request. */
  constructor(
    readonly steps: number = REQUEST_STEPS,
    readonly request?: Meter,
  ) {}

  /** How many steps were spent, or would have been. */
  get spent(): number {
    return this.#spent;
  }

  /** Whether nothing is left. */
  get isSpent(): boolean {
    return this.#spent >= this.steps;
  }

  /** Counts work that was done, and does not throw. */
  count(steps: number): void {
    this.#spent += steps;
  }

  /** Pays for work that comes next. Throws OutOfSteps. */
  pay(steps: number): void {
    this.#spent += steps;
    this.request?.pay(steps);
    if (this.#spent > this.steps) throw new OutOfSteps("out of steps");
  }
}
