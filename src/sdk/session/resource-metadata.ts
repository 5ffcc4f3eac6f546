/** How apps find out how to get tokens for an API (RFC 9728). */

/** The document, to be served as JSON. */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  scopes_supported?: string[];
  bearer_methods_supported: string[];
  resource_name?: string;
}

const PATH = "/.well-known/oauth-protected-resource";

interface Described {
  resource: string;
  issuer: string;
  scopes: readonly string[];
  name: string | undefined;
}

/** The document, and its URL; null for an API whose identifier is no URL. */
export function resourceMetadata({ resource, issuer, scopes, name }: Described): {
  document: ResourceMetadata;
  url: string | null;
} {
  // That an app stays connected is no matter of the API.
  const own = scopes.filter((scope) => scope !== "offline_access");
  const url = webUrl(resource);
  return {
    document: {
      resource,
      authorization_servers: [issuer],
      ...(own.length > 0 ? { scopes_supported: own } : {}),
      bearer_methods_supported: ["header"],
      ...(name === undefined ? {} : { resource_name: name }),
    },
    url: url && `${url.origin}${pathFor(url)}`,
  };
}

/** Where apps look: with the path of the API behind, and without. */
export function metadataPaths(resource: string): string[] {
  const url = webUrl(resource);
  return url ? [...new Set([pathFor(url), PATH])] : [];
}

const pathFor = ({ pathname }: URL): string => (pathname === "/" ? PATH : `${PATH}${pathname}`);

function webUrl(resource: string): URL | null {
  try {
    const url = new URL(resource);
    return /^https?:$/.test(url.protocol) ? url : null;
  } catch {
    return null;
  }
}
