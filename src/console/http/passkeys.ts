/** Passkeys in the console's forms. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { jsonOf } from "../../base/json";
import { relyingParty } from "../../identity/passkeys/webauthn/relying-party";
import type { Form } from "./form";

/** Whether the browser can use passkeys at the requested address. It cannot if APP_URL leads to another client. */
export const hasPasskeysHere = (c: Context<AppEnv>): boolean =>
  relyingParty(c.get("deps").config).origins.includes(new URL(c.req.url).origin);

/** Reads the answer of a passkey, which the script put into a form: null, which the schemas refuse, if not JSON. */
export function readPasskeyAnswer(form: Form): { state: string; response: unknown } {
  return { state: form.text("state"), response: jsonOf(form.text("response")) ?? null };
}
