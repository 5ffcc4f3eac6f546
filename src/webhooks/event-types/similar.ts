/** The declared name that somebody may have meant. */

/** The most letters that may be wrong, missing or too many. */
const MAX_EDITS = 2;

/** The name that is at most two edits from `given`, letter case apart; undefined if there is none. */
export function mostSimilar(given: string, names: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const ranked = names
    .filter(({ length }) => Math.abs(length - given.length) <= MAX_EDITS)
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ edits }) => edits <= MAX_EDITS)
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name;
}

/** The distance of Levenshtein, of texts of at most 128 characters. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const [left = 0, above = 0, diagonal = 0] = [next[column - 1], row[column], row[column - 1]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other[column - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
