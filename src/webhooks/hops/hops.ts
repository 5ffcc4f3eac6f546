/**
 * Events that go round: a subscription whose URL is a source makes an event of each of its deliveries. Deliveries to
 * sources say how many sources their event has come through, so that a circle ends.
 */
import { utf8 } from "../../base/crypto/encoding";
import { digest } from "../../base/crypto/encryption";
import type { KeyRing } from "../../base/crypto/keys";
import { isSourceId } from "./source-id";

/** An event that has come through so many of our sources is not taken again. */
export const MAX_HOPS = 3;

/** A call of a source, as it came. */
interface DeliveredCall {
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

const HEADER = "postern-hops";
const PATH = /\/in\/(src_\w+)\/?$/;
const FORM = /^(\d{1,3}) (([0-9a-f]+)\.[0-9a-f]{64})$/;

/** The header of a delivery to a source, of whichever deployment; none for another URL. */
export async function hopHeaderTo(
  keys: KeyRing,
  url: string,
  hops: number | null,
  body: string,
): Promise<Record<string, string>> {
  const [, sourceId = ""] = PATH.exec(URL.parse(url)?.pathname ?? "") ?? [];
  if (!isSourceId(sourceId)) return {};
  const next = (hops ?? 0) + 1;
  return { [HEADER]: `${next} ${await digest(keys, ownerOf(next), body)}` };
}

/** How many of our sources a call has come through, this one included. Zero if it does not say so, or we did not. */
export async function hopsOf(keys: KeyRing, { headers, body }: DeliveredCall): Promise<number> {
  const [, hops = "", proof = "", keyId] = FORM.exec(headers.get(HEADER) ?? "") ?? [];
  const key = keys.find(({ id }) => id === keyId);
  if (!key) return 0;
  const right = await digest([key], ownerOf(Number(hops)), new TextDecoder().decode(body));
  return crypto.subtle.timingSafeEqual(utf8(proof), utf8(right)) ? Number(hops) : 0;
}

/** Signed with the body, so that nobody can put the header on another call to have it ignored. */
const ownerOf = (hops: number) => `hops:${hops}`;
