/** The paths of filters: names with dots between them, such as "payload.order.total". */

/** A name in a path. `\.`, `\$` and `\\` stand for the characters themselves. */
const NAME = String.raw`(?:[^.$\\]|\\[.$\\])(?:[^.\\]|\\[.$\\])*`;
const NAMES = new RegExp(NAME, "g");
const PATH = new RegExp(String.raw`^${NAME}(?:\.${NAME})*$`);

/** Returns the names of a path; null if it is none. */
export const namesOf = (path: string): string[] | null =>
  PATH.test(path) ? (path.match(NAMES) ?? []).map((name) => name.replace(/\\(.)/g, "$1")) : null;

/** Writes names as a path. */
export const pathOf = (names: readonly string[]): string =>
  names.map((name) => name.replace(/[.\\]|^\$/g, "\\$&")).join(".");
