/**
 * What providers ask once, before they send anything, to learn that the URL belongs to whoever entered it. The answer
 * repeats what was asked and opens nothing: their calls are signed. So nothing is looked up for it.
 */

/** What a header or a parameter of the answer may have: no markup. */
const CHALLENGE = /^[\w.~+/=-]{1,500}$/;

/** The answer to a GET of a source, as JSON or as text; null if nothing is asked that is known. */
export function confirmation(
  sourceId: string,
  { headers, query }: { headers: Headers; query: URLSearchParams },
): { verification: string } | string | null {
  const ofOkta = headers.get("x-okta-verification-challenge") ?? "";
  if (CHALLENGE.test(ofOkta)) return { verification: ofOkta };
  // WebSub, section 5.3. Whoever subscribes has given the id of the source.
  const challenge = query.get("hub.challenge") ?? "";
  return query.get("hub.verify_token") === sourceId && CHALLENGE.test(challenge) ? challenge : null;
}
