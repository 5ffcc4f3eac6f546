import type { Client } from "postern/client";

/** Where to send the browser to sign in with Google. It comes back to `APP_URL/oauth`. */
export const googleUrl = (postern: Client) => postern.identities.signInUrl("google", { to: "/orders" });

/** On that page: opens the session. `query` is `location.search`. */
export async function finishSignIn(postern: Client, query: string): Promise<void> {
  await postern.identities.exchange({ code: new URLSearchParams(query).get("code") ?? "" });
}

/** Where to send a signed-in user's browser to add Google as another way to sign in. */
export async function addGoogle(postern: Client): Promise<string> {
  const { url } = await postern.identities.link("google");
  return url;
}
