/** The signatures of a provider that its tenant describes: what `verification` says. */

import type { InboundCall, Signed, Token, WebToken } from "./inbound-call";
import type { Verification } from "./option-schemas";
import { isKeyKind } from "./public-keys";
import {
  entriesOf,
  type Hash,
  isRepeated,
  join,
  mac,
  present,
  type SignedTime,
  signature,
  timeIn,
} from "./signature-text";

/** Those of public keys have their hash in them. */
const HASHES = {
  sha1: "SHA-1",
  sha256: "SHA-256",
  sha512: "SHA-512",
  ed25519: "SHA-512",
  ecdsa: "SHA-256",
  rsa: "SHA-256",
} as const satisfies Record<string, Hash>;

/** Returns the signatures of a call, or its token of either kind; null if they are missing or malformed. */
export function describedBy(verification: Verification, call: InboundCall): Signed | Token | WebToken | null {
  const { header, algorithm, prefix } = verification;
  const given = call.headers.get(header);
  if (given === null) return null;
  if (algorithm !== "token" && algorithm !== "jwt") return signaturesIn(verification, call, given, algorithm);
  if (!given.startsWith(prefix)) return null;
  const bare = given.slice(prefix.length);
  return algorithm === "jwt" ? { jwt: bare } : { token: bare };
}

function signaturesIn(
  verification: Verification,
  { headers, body }: InboundCall,
  given: string,
  algorithm: keyof typeof HASHES,
): Signed | null {
  const { prefix, encoding, idHeader, timestampHeader, toleranceSeconds } = verification;
  const entries = entriesOf(given, separatorsOf(verification));
  const isTimeBeside = timestampHeader?.toLowerCase() === verification.header.toLowerCase();
  const apart = timestampHeader === undefined ? [] : [headers.get(timestampHeader) ?? ""];
  const times = timesIn(isTimeBeside ? entries : apart, verification);
  const [time] = times;
  if (times.some(({ text }) => text !== time?.text) || (timestampHeader !== undefined && !time)) return null;
  // Some write a comma and a space between the time and the signature: that header has the time once.
  if (isRepeated(given) && !prefix.includes(", ") && !(isTimeBeside && times.length === 1)) return null;
  const id = idHeader === undefined ? "" : headers.get(idHeader);
  if (id === null || (idHeader !== undefined && id === "")) return null;
  const hash = HASHES[algorithm];
  const isOfPair = isKeyKind(algorithm);
  return {
    hash,
    macs: isOfPair ? [] : present(entries.map((entry) => mac(entry, prefix, encoding, hash))),
    signatures: isOfPair ? present(entries.map((entry) => signature(entry, prefix, encoding, algorithm))) : [],
    content: contentOf(verification.content, body, { id, time }),
    ...(time ? { timestampSeconds: time.seconds } : {}),
    toleranceSeconds,
  };
}

/** What separates the entries of a list, unless it is part of what stands before an entry. */
function separatorsOf({ prefix, timestampPrefix = "" }: Verification): RegExp {
  const separators = [",", ";", " "].filter((one) => !(prefix + timestampPrefix).includes(one));
  return separators.length === 0 ? /$/ : new RegExp(`[${separators.join("")}]+`);
}

function timesIn(entries: readonly string[], { timestampPrefix = "" }: Verification): SignedTime[] {
  return entries
    .filter((entry) => entry.startsWith(timestampPrefix))
    .map((entry) => timeIn(entry.slice(timestampPrefix.length)))
    .filter((time) => time !== null);
}

function contentOf(
  template: string,
  body: InboundCall["body"],
  { id, time }: { id: string; time?: SignedTime | undefined },
) {
  const filled = (text: string) =>
    text.replace(/\{timestamp\}|\{id\}/g, (part) => (part === "{id}" ? id : (time?.text ?? "")));
  const [before = "", after = ""] = template.split("{body}");
  return join(filled(before), body, filled(after));
}
