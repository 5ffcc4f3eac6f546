/** Conditional requests (RFC 9110 section 13). */

/** Whether `If-None-Match` names the tag, by the weak comparison (section 8.8.3.2). `etag` has its quotes. */
export const namesTag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || opaque(tag.trim()) === opaque(etag));

const opaque = (tag: string): string => tag.replace(/^W\//, "");
