/** Collects what is wrong with a value. */

/** Why a value is invalid: where, by names and indexes with dots between them, and by which keyword. */
export interface Finding {
  path: string;
  message: string;
}

/** Where a value is, from the innermost name or index out; null at the root. */
export type Place = { in: Place; key: string | number } | null;

/** The names and indexes that lead to a place, from the root on. */
export function keysOf(place: Place): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = place; at; at = at.in) keys.push(at.key);
  return keys.reverse();
}

const MAX_FINDINGS = 10;
const MAX_PATH_CHARACTERS = 500;

export class Report {
  readonly findings: Finding[] = [];

  constructor(readonly root: string) {}

  /**
   * Adds a finding. Those after the tenth are dropped, and their messages are not made. A message never contains a part
   * of the value.
   */
  add(place: Place, message: string | (() => string)): void {
    if (this.findings.length >= MAX_FINDINGS) return;
    const path = [this.root, ...keysOf(place)].join(".");
    const text = typeof message === "string" ? message : message();
    this.findings.push({ path: path.slice(0, MAX_PATH_CHARACTERS), message: text });
  }
}
