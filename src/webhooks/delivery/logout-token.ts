/**
 * The body that tells an app of a sign-in that has ended (OpenID Connect Back-Channel Logout 1.0, sections 2.4, 2.5).
 * It names the sign-in alone: beside a `sub`, some libraries would sign the person out on every device.
 */
import { SignJWT } from "jose";
import type { TokenAlgorithm } from "../../base/crypto/signing-keys";
import type { Deps } from "../../base/deps";
import type { DeliveredEvent, Sent } from "./envelope";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const LIFETIME_SECONDS = 120;

/** The payload that the trigger `oauth_grants_log_out` writes. */
interface EndedSignIn {
  clientId: string;
  sid: string;
  alg: TokenAlgorithm;
}

/** Signed anew for each attempt. The `jti` stays the same, so that apps recognise one that they had before. */
export async function logoutBody(
  { signers }: Deps,
  { eventId, payload }: Pick<DeliveredEvent, "eventId" | "payload">,
  nowMs: number,
): Promise<Sent> {
  const { clientId, sid, alg } = JSON.parse(payload) as EndedSignIn;
  const { key, issuer } = await signers.ofAlgorithm(alg);
  const iat = Math.floor(nowMs / 1000);
  const token = await new SignJWT({ sid, events: { [EVENT]: {} } })
    .setProtectedHeader({ alg, typ: "logout+jwt", kid: key.kid })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setJti(eventId)
    .setIssuedAt(iat)
    .setExpirationTime(iat + LIFETIME_SECONDS)
    .sign(key.privateKey);
  const form = new URLSearchParams({ logout_token: token });
  return { body: form.toString(), contentType: "application/x-www-form-urlencoded" };
}
