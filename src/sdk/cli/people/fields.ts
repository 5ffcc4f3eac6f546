/** The members of a record, in whatever spelling a service or its tools write them. */

/** A record of an export. */
export type Exported = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Exported =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The records in a list. */
export const recordsIn = (value: unknown): Fields[] =>
  (Array.isArray(value) ? value : []).filter(isRecord).map((record) => new Fields(record));

/** `Email Verified`, `email_verified` and `emailVerified` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Finds members by their names in any spelling. */
export class Fields {
  readonly names: readonly string[];
  readonly #values = new Map<string, unknown>();

  constructor(readonly record: Exported) {
    this.names = Object.keys(record);
    for (const [name, value] of Object.entries(record)) {
      const key = plain(name);
      if (isAbsent(this.#values.get(key))) this.#values.set(key, value);
    }
  }

  /** Whether one of the members is there, even if it is null. */
  has(...names: readonly string[]): boolean {
    return names.some((name) => this.#values.has(plain(name)));
  }

  /** The first of the members that is not null or empty; undefined if there is none. */
  get(...names: readonly string[]): unknown {
    return names.map((name) => this.#values.get(plain(name))).find((value) => !isAbsent(value));
  }

  /** The text or number in the first of the members that has one. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const text = textOf(this.#values.get(plain(name)));
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

/** A text or a number as text; undefined if it is empty, or something else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
