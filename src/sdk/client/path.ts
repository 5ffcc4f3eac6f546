/** Parts of a request's path and query. */

/**
 * `id` as one segment of a path. Throws TypeError for an empty id and for `.` and `..`: a URL parser would resolve
 * them, and an id from a stranger must not choose the endpoint.
 */
export function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new TypeError(`"${id}" is not an id.`);
  return encodeURIComponent(id);
}

/** `?name=value&...` of the fields that are defined, or the empty string. */
export function query(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
