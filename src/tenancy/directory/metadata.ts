/** What the product keeps with its tenants, users and members: JSON objects, the public ones of which people see. */
import * as z from "zod";

const MAX_BYTES = 2_048;
const MAX_PUBLIC_BYTES = 1_024;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

const objectOf = (maxBytes: number) =>
  z
    .record(z.string(), z.unknown())
    .refine((value) => bytesOf(value) <= maxBytes, `Must be at most ${maxBytes} bytes of JSON`);

export const metadata = objectOf(MAX_BYTES).meta({
  description: "Your own data, which only platform keys see: a JSON object of at most 2 KiB.",
  examples: [{ crmId: "0061" }],
});
export const publicMetadata = objectOf(MAX_PUBLIC_BYTES).meta({
  description:
    "Your own data, which the people concerned see in `GET /auth/me`, and which access tokens carry where " +
    "TOKEN_METADATA says so: a JSON object of at most 1 KiB.",
  examples: [{ plan: "pro" }],
});

/** The fields of a request. An object replaces the former one whole; null removes it. */
export const metadataChange = {
  metadata: metadata.nullable().optional(),
  publicMetadata: publicMetadata.nullable().optional(),
};

export type Metadata = Record<string, unknown>;

/** What a request says of both; undefined: it stays. */
export interface MetadataChange {
  metadata?: Metadata | null | undefined;
  publicMetadata?: Metadata | null | undefined;
}

/** As it is stored: null for none. */
export const storedMetadata = (given: Metadata | null): string | null =>
  given === null || Object.keys(given).length === 0 ? null : JSON.stringify(given);

/** As it is shown: an object without members for none. */
export const metadataOf = (stored: string | null): Metadata =>
  stored === null ? {} : (JSON.parse(stored) as Metadata);

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
