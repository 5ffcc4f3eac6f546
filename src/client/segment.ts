/** An id as one segment of a path. Throws for what a URL reads as another path: an id of a stranger must not choose the operation. */
export function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new TypeError(`"${id}" is no id.`);
  return encodeURIComponent(id);
}
