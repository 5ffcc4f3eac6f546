/** The versions of resources as entity tags (RFC 7644 section 3.14). */

export const etagOf = (version: number): string => `W/"${version}"`;

/** Whether `If-Match` or `If-None-Match` names the version, by the weak comparison: the tags are weak themselves. */
export const namesVersion = (header: string, version: number): boolean =>
  header.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === `"${version}"`);
