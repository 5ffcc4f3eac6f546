/** What the product keeps with its tenants, users and members: JSON objects, the public ones of which people see. */
import { parseExact } from "../../base/exact-json";

export type Metadata = Record<string, unknown>;

/** What a request says of both; undefined: it stays. */
export interface MetadataChange {
  metadata?: Metadata | null | undefined;
  publicMetadata?: Metadata | null | undefined;
}

/** As it is stored: null for none. */
export const storedMetadata = (given: Metadata | null): string | null =>
  given === null || Object.keys(given).length === 0 ? null : JSON.stringify(given);

/** As it is shown, with all digits of its numbers: an object without members for none. */
export const metadataOf = (stored: string | null): Metadata =>
  stored === null ? {} : (parseExact(stored) as Metadata);

type Subject = "user" | "tenant" | "member";

/** What tokens carry of the public metadata: the keys that TOKEN_METADATA names, such as "tenant.plan". */
export function claimedMetadata(
  names: readonly string[],
  stored: Record<Subject, string | null>,
): Partial<Record<Subject, Metadata>> {
  const claimed: Partial<Record<Subject, Metadata>> = {};
  for (const name of names) {
    const dot = name.indexOf(".");
    const [subject, key] = [name.slice(0, dot) as Subject, name.slice(dot + 1)];
    const all = metadataOf(stored[subject]);
    if (Object.hasOwn(all, key)) claimed[subject] = { ...claimed[subject], [key]: all[key] };
  }
  return claimed;
}
