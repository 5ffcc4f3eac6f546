/** Calls in the form of a browser. */

export const formIn = (body: Uint8Array): URLSearchParams => new URLSearchParams(new TextDecoder().decode(body));

/** The values of a form by their names. Read in one pass: strangers send forms of any number of names. */
export function valuesByName(form: URLSearchParams): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of form) {
    const values = byName.get(name);
    if (values) values.push(value);
    else byName.set(name, [value]);
  }
  return byName;
}

/** The fields of a form as an object; a name that comes several times has a list. */
export const fieldsOf = (form: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...valuesByName(form)].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
