/** Second factors of people. */
import { Secret, TOTP } from "otpauth";
import { call, type Person } from "./client";

const STEP_MS = 30_000;

/** The code of a secret, `stepsAhead` steps from now. */
export const codeOf = (secret: string, stepsAhead = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + stepsAhead * STEP_MS });

/**
 * Turns two-factor authentication on with the code of one step ago, so that the next one is unused. Returns the secret.
 */
export async function enrol(person: Person): Promise<string> {
  const enabled = await call("POST", "/auth/2fa/enable", { token: person.token });
  const { secret } = enabled.body.data;
  const confirm = () => call("POST", "/auth/2fa/verify", { token: person.token, body: { token: codeOf(secret, -1) } });
  // A step may end between the code and its check; two do not.
  const first = await confirm();
  const verified = first.status === 401 ? await confirm() : first;
  if (verified.status !== 200) throw new Error(`verify answered ${verified.status}`);
  return secret;
}
