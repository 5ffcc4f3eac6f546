/** The signatures of Twilio, SendGrid and Mailgun, which sign other things than the body or with other keys. */
import { utf8 } from "../../base/crypto/encoding";
import { isForm } from "../../base/media-type";
import { DAY_MS } from "../../base/time";
import { formIn, valuesByName } from "./form";
import type { InboundCall, Signed } from "./inbound-call";
import { join, mac, secondsIn, signature } from "./signature-text";

/**
 * SendGrid and Mailgun send a call again for hours, and nobody promises that they sign it anew. Repeats are known for
 * as long as this.
 */
const TOLERANCE_SECONDS = DAY_MS / 1000;

const signed = (content: Signed["content"], said: Partial<Signed>): Signed => ({
  hash: "SHA-256",
  macs: [],
  signatures: [],
  content,
  toleranceSeconds: TOLERANCE_SECONDS,
  ...said,
});

/**
 * An HMAC of the URL and the fields of the form: names and values, sorted by name. Another body is signed by its hash
 * in the URL ("Security" in Twilio's documentation).
 */
export function twilio({ headers, body, url = "" }: InboundCall): Signed | null {
  const given = mac(headers.get("x-twilio-signature"), "", "base64", "SHA-1");
  if (!given) return null;
  const said: Partial<Signed> = { hash: "SHA-1", macs: [given] };
  if (isForm(headers.get("content-type"))) return signed(utf8(url + sorted(body)), said);
  const bodySha256 = URL.parse(url)?.searchParams.get("bodySHA256")?.toLowerCase();
  return bodySha256 ? signed(utf8(url), { ...said, bodySha256 }) : null;
}

/** A value that comes twice under one name counts once. */
function sorted(body: Uint8Array): string {
  const byName = [...valuesByName(formIn(body))].sort(([one], [other]) => (one < other ? -1 : 1));
  return byName.flatMap(([name, values]) => [...new Set(values)].sort().map((value) => name + value)).join("");
}

/** ECDSA, over the time and the body. The secret is the public key that SendGrid shows. */
export function sendgrid({ headers, body }: InboundCall): Signed | null {
  const time = secondsIn(headers.get("x-twilio-email-event-webhook-timestamp"));
  const given = signature(headers.get("x-twilio-email-event-webhook-signature"), "", "base64", "ecdsa");
  if (!time || !given) return null;
  return signed(join(time.text, body), { signatures: [given], timestampSeconds: time.seconds });
}

/** An HMAC of a time and a token, which stand in the body with it. The rest of the body is not signed. */
export function mailgun({ headers, body }: InboundCall): Signed | null {
  const said = isForm(headers.get("content-type")) ? Object.fromEntries(formIn(body)) : signatureIn(body);
  const [time, given] = [secondsIn(textOf(said["timestamp"])), mac(textOf(said["signature"]), "", "hex")];
  const token = textOf(said["token"]);
  if (!time || !given || !token) return null;
  return signed(utf8(time.text + token), { macs: [given], timestampSeconds: time.seconds });
}

function signatureIn(body: Uint8Array): Record<string, unknown> {
  try {
    const { signature: said } = JSON.parse(new TextDecoder().decode(body)) as { signature?: Record<string, unknown> };
    return said ?? {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;
