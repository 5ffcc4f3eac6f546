/** What a call says about its signature, for each provider. */
import { describedBy } from "./described";
import type { InboundCall, Signed, Token, WebToken } from "./inbound-call";
import type { SourceOptions } from "./option-schemas";
import type { SourceProvider } from "./schemas";
import { entriesOf, isRepeated, join, mac, present, secondsIn, signature } from "./signature-text";
import { mailgun, sendgrid, twilio } from "./signed-mail-and-sms";

/** Stripe, Slack and Standard Webhooks all advise five minutes. */
const TOLERANCE_SECONDS = 300;

/** Returns the signatures of a call, or its token of either kind; null if they are missing or malformed. */
export function signedBy(
  provider: SourceProvider,
  { verification }: SourceOptions,
  call: InboundCall,
): Signed | Token | WebToken | null {
  if (provider === "hmac") return verification ? describedBy(verification, call) : null;
  return PROVIDERS[provider](call);
}

const PROVIDERS: Record<Exclude<SourceProvider, "hmac">, (call: InboundCall) => Signed | null> = {
  stripe,
  github: ({ headers, body }) => single(mac(headers.get("x-hub-signature-256"), "sha256=", "hex"), body),
  shopify: ({ headers, body }) => single(mac(headers.get("x-shopify-hmac-sha256"), "", "base64"), body),
  slack: ({ headers, body }) => {
    const time = secondsIn(headers.get("x-slack-request-timestamp"));
    if (time === null) return null;
    const given = mac(headers.get("x-slack-signature"), "v0=", "hex");
    return single(given, join(`v0:${time.text}:`, body), time.seconds);
  },
  twilio,
  sendgrid,
  mailgun,
  standard,
};

function single(given: Uint8Array<ArrayBuffer> | null, content: Uint8Array<ArrayBuffer>, timestampSeconds?: number) {
  return given && signed([given], content, timestampSeconds);
}

const signed = (
  macs: readonly (Uint8Array<ArrayBuffer> | null)[],
  content: Signed["content"],
  timestampSeconds?: number,
): Signed => ({
  hash: "SHA-256",
  macs: present(macs),
  signatures: [],
  content,
  ...(timestampSeconds === undefined ? {} : { timestampSeconds }),
  toleranceSeconds: TOLERANCE_SECONDS,
});

/** `t=<Unix seconds>,v1=<hex>,…`, with one `t`. What is not understood is passed over. */
function stripe({ headers, body }: InboundCall): Signed | null {
  const parts = entriesOf(headers.get("stripe-signature"), ",");
  const [time, ...others] = parts.filter((part) => part.startsWith("t=")).map((part) => secondsIn(part.slice(2)));
  const macs = parts.map((part) => mac(part, "v1=", "hex"));
  return time && others.length === 0 ? signed(macs, join(`${time.text}.`, body), time.seconds) : null;
}

/** Standard Webhooks: a list with spaces of `v1,<base64>` and `v1a,<base64>`. What is not understood is passed over. */
function standard({ headers, body }: InboundCall): Signed | null {
  const id = standardHeader(headers, "id");
  const time = secondsIn(standardHeader(headers, "timestamp"));
  const given = standardHeader(headers, "signature");
  if (!id || time === null || !given || isRepeated(given)) return null;
  const entries = entriesOf(given, " ");
  const macs = entries.map((one) => mac(one, "v1,", "base64"));
  const signatures = entries.map((one) => signature(one, "v1a,", "base64", "ed25519"));
  return { ...signed(macs, join(`${id}.${time.text}.`, body), time.seconds), signatures: present(signatures) };
}

/** A header of Standard Webhooks, also under the older name that Svix gave it. */
export const standardHeader = (headers: Headers, name: "id" | "timestamp" | "signature"): string | null =>
  headers.get(`${headers.has("webhook-id") ? "webhook" : "svix"}-${name}`);
