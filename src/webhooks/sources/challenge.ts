/** What providers ask in a genuine call, before they send events, and in which form they want the answer. */
import { toHex, utf8 } from "../../base/crypto/encoding";
import { hmac } from "../../base/crypto/webhook-signature";
import { textAt } from "./place";

export type Challenge =
  /** Wants these members back. */
  | { is: "json"; body: Readonly<Record<string, string>> }
  /** Wants this back as text. */
  | { is: "text"; text: string }
  /** Wants to see that the secret is known: this, with its HMAC. */
  | { is: "signed"; text: string };

/** A text that cannot be what a provider signs of a call: whoever got it signed would have the signature of a call. */
const SIGNABLE = /^[\w.~+/=-]{1,500}$/;

/** What a call asks; null for an event. */
export function challengeIn(headers: Headers, body: unknown): Challenge | null {
  const challenge = textAt(body, "/challenge");
  // Slack and Lark.
  if (challenge && textAt(body, "/type") === "url_verification") return { is: "json", body: { challenge } };
  // Twitch.
  if (challenge && headers.get("twitch-eventsub-message-type") === "webhook_callback_verification") {
    return { is: "text", text: challenge };
  }
  // Azure Event Grid.
  const code = headers.get("aeg-event-type") === "SubscriptionValidation" && textAt(body, "/0/data/validationCode");
  if (code) return { is: "json", body: { validationResponse: code } };
  // Zoom.
  const text = textAt(body, "/event") === "endpoint.url_validation" ? textAt(body, "/payload/plainToken") : null;
  return text && SIGNABLE.test(text) ? { is: "signed", text } : null;
}

/** The answer to a challenge: members of JSON, or text. `secret` is the one that has signed the call. */
export async function answerTo(challenge: Challenge, secret: string): Promise<Record<string, string> | string> {
  if (challenge.is === "json") return challenge.body;
  if (challenge.is === "text") return challenge.text;
  const mac = await hmac("SHA-256", utf8(secret), challenge.text);
  return { plainToken: challenge.text, encryptedToken: toHex(mac) };
}
