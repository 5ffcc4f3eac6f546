/** What the product keeps with its tenants, users and members, in requests and answers. */
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
