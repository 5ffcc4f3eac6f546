/** Which operation is which method of the client. */
import { NOT_CALLED } from "./names.ts";
import type { Noun } from "./noun.ts";
import { NOUNS } from "./nouns.ts";
import type { Endpoint } from "./openapi.ts";

const API = "/api/v1";

/** An operation that a generated method calls. */
export interface Method {
  name: string;
  endpoint: Endpoint;
}

/** The methods of each noun, by the name of its file. Throws for an operation that no noun has. */
export function methodsOf(endpoints: readonly Endpoint[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>(Object.keys(NOUNS).map((file) => [file, []]));
  for (const endpoint of endpoints) {
    const { operationId, path } = endpoint;
    if (!path.startsWith(`${API}/`) || NOT_CALLED.has(operationId)) continue;
    const [file, noun] = nounOf(path);
    if (!noun.byHand?.includes(operationId)) methods.get(file)?.push({ name: nameOf(operationId, noun), endpoint });
  }
  return methods;
}

function nounOf(path: string): [file: string, noun: Noun] {
  const places = Object.entries(NOUNS).flatMap(([file, noun]) =>
    noun.paths.map((begin) => ({ file, noun, begin: `${API}${begin}` })),
  );
  const [place] = places
    .filter(({ begin }) => `${path}/`.startsWith(`${begin}/`))
    .toSorted((a, b) => b.begin.length - a.begin.length);
  if (!place) throw new Error(`${path} belongs to no noun: see nouns.ts and names.ts of .scripts/client`);
  return [place.file, place.noun];
}

/** The name of a method, by the rule of `NOUNS`. */
export function nameOf(operationId: string, { type, word = type, names = {} }: Noun): string {
  const singular = word.replace(/y$/, "(y|ie)");
  const verb = operationId.replace(new RegExp(`${singular}s?(?=[A-Z]|$)`), "");
  return names[operationId] ?? lowerFirst(lowerFirst(verb).replace(/^(get|list)(?=[A-Z])/, ""));
}

export const lowerFirst = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);
