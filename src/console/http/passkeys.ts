/** Passkeys in the console's forms. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { jsonOf } from "../../base/json";
import { relyingParty } from "../../identity/passkeys/webauthn/relying-party";
import type { Form } from "./form";

/** Whether the browser can use passkeys at the requested address. It cannot if APP_URL leads to another client. */
export const hasPasskeysHere = (c: Context<AppEnv>): boolean =>
  relyingParty(c.get("deps").config).origins.includes(new URL(c.req.url).origin);

/** What the script has put into a form; null if that is not JSON. The schemas refuse null. */
export function shownIn(form: Form): { state: string; response: unknown } {
  return { state: form.text("state"), response: jsonOf(form.text("response")) ?? null };
}
