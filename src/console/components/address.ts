/** Addresses of pages. */

/** `path` with the parameters that are not empty. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
