/** Asking the former service whether a password is right. */
import * as z from "zod";
import type { LegacyLogin } from "../../base/config/legacy-login-settings";
import { signStandard } from "../../base/crypto/webhook-signature";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { log } from "../../base/log/log";
import { boundedFetch, ProviderUnreachable } from "../providers/fetch";
import { forgetFailures, noteFailure } from "./failures-store";

const MAX_ANSWER_BYTES = 64 * 1024;
/** What `verifyDelivery` shows as the type. */
const EVENT_TYPE = "LegacyLogin";

const answer = z.union([
  z.object({
    ok: z.literal(true),
    profile: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((profile) => profile ?? {}),
  }),
  z.object({ ok: z.literal(false) }),
]);

/** What the former service says of a person, as a row of an import does. */
export type FormerProfile = Readonly<Record<string, unknown>>;

/** Whether the password is right, and whose it is. */
type Verdict = { ok: true; profile: FormerProfile } | { ok: false };

interface Credentials {
  email: string;
  password: string;
}

/**
 * Asks with a POST that is signed like a delivery. Throws SERVICE_UNAVAILABLE unless the service answers within 5
 * seconds and as it should; failures are logged and counted for the alarm.
 */
export async function askFormerService(deps: Deps, service: LegacyLogin, credentials: Credentials): Promise<Verdict> {
  try {
    const verdict = await ask(deps, service, credentials);
    deps.background("forget failed legacy logins", forgetFailures(deps));
    return verdict;
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error;
    log("error", "legacy login failed", { reason: error.message });
    deps.background("note failed legacy login", noteFailure(deps, deps.now()));
    throw unavailable({ message: "Passwords cannot be checked for now. Try again." });
  }
}

async function ask(deps: Deps, { url, secret }: LegacyLogin, { email, password }: Credentials): Promise<Verdict> {
  const [id, timestampSeconds, body] = [newId(), Math.floor(deps.now() / 1000), JSON.stringify({ email, password })];
  const headers = {
    "Content-Type": "application/json",
    "X-Webhook-Event": EVENT_TYPE,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": await signStandard(secret, id, timestampSeconds, body),
  };
  const response = await boundedFetch(url, { method: "POST", headers, body }, MAX_ANSWER_BYTES);
  if (response.status === 404) return { ok: false };
  if (response.status !== 200) throw new ProviderUnreachable(`status ${response.status}`);
  const { data: verdict } = answer.safeParse(await response.json().catch(() => null));
  if (!verdict) throw new ProviderUnreachable("an answer that cannot be read");
  return verdict;
}
