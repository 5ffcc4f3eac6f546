/**
 * What providers ask once, before they send anything, to learn that the URL belongs to whoever entered it. The answer
 * repeats what was asked and opens nothing: their calls are signed. So nothing is looked up for it.
 */
import { isForm } from "../../../base/media-type";

/** What a header or a parameter of the answer may have: no markup. */
const CHALLENGE = /^[\w.~+/=-]{1,500}$/;

/** By what header a POST without an event asks, and by which it wants the value back: Asana and Smartsheet. */
const GREETINGS = [
  ["x-hook-secret", "X-Hook-Secret"],
  ["smartsheet-hook-challenge", "Smartsheet-Hook-Response"],
] as const;

/** An empty object. */
const MOST_ASKING_BYTES = 2;

/** What WooCommerce sends without a signature when somebody saves a webhook: it wants to hear 200. */
const PING_OF_WOOCOMMERCE = /^webhook_id=\d{1,20}$/;
const MOST_PINGING_BYTES = 31;

/**
 * The headers that answer a POST which only asks; null for a call. Of what has an event in its body, `X-Hook-Secret`
 * can be the token.
 */
export function greeting(headers: Headers, body: Uint8Array): Record<string, string> | null {
  if (isForm(headers.get("content-type")) && body.length <= MOST_PINGING_BYTES) {
    return PING_OF_WOOCOMMERCE.test(new TextDecoder().decode(body)) ? {} : null;
  }
  const [asked, answered] = GREETINGS.find(([name]) => CHALLENGE.test(headers.get(name) ?? "")) ?? [];
  if (!asked || (asked === "x-hook-secret" && body.length > MOST_ASKING_BYTES)) return null;
  return { [answered]: headers.get(asked) ?? "" };
}

/** The answer to a GET of a source, as JSON or as text; null if nothing is asked that is known. */
export function confirmation(
  sourceId: string,
  { headers, query }: { headers: Headers; query: URLSearchParams },
): { verification: string } | string | null {
  const ofOkta = headers.get("x-okta-verification-challenge") ?? "";
  if (CHALLENGE.test(ofOkta)) return { verification: ofOkta };
  // Dropbox and Nylas.
  const bare = query.get("challenge") ?? "";
  if (CHALLENGE.test(bare)) return bare;
  // WebSub, section 5.3. Whoever subscribes has given the id of the source.
  const challenge = query.get("hub.challenge") ?? "";
  return query.get("hub.verify_token") === sourceId && CHALLENGE.test(challenge) ? challenge : null;
}
