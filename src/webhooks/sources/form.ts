/** Calls in the form of a browser: what their fields are as JSON. */

/** The fields of a form as an object; a name that comes several times has a list. */
export function fieldsOf(form: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = form.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

export const formIn = (body: Uint8Array): URLSearchParams => new URLSearchParams(new TextDecoder().decode(body));
