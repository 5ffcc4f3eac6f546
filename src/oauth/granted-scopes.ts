/**
 * What an app is granted, as one list of texts: scopes of sign-in as they are, and a scope of an API behind the API's
 * id and a space, which no scope has in it (RFC 6749 section 3.3).
 */

export const ofResource = (resourceId: string, scope: string): string => `${resourceId} ${scope}`;

/** The API and the name of a granted scope; the API is null for one of sign-in. */
export function partsOf(granted: string): { resourceId: string | null; scope: string } {
  const at = granted.indexOf(" ");
  return at < 0
    ? { resourceId: null, scope: granted }
    : { resourceId: granted.slice(0, at), scope: granted.slice(at + 1) };
}

/** The names of what is granted at an API; null: of sign-in. */
export const scopesAt = (granted: readonly string[], resourceId: string | null): string[] =>
  granted
    .map(partsOf)
    .filter((one) => one.resourceId === resourceId)
    .map(({ scope }) => scope);

/** The APIs at which something is granted, in the order of the request. */
export const resourceIdsOf = (granted: readonly string[]): string[] => [
  ...new Set(granted.map((one) => partsOf(one).resourceId).filter((id) => id !== null)),
];
