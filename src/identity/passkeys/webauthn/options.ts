/** What a page gives to `navigator.credentials`, in the JSON form of WebAuthn level 3 (section 5.1.8). */
import { base64url } from "jose";
import type { Config } from "../../../base/config/config";
import { utf8 } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { iso } from "../../../base/time";
import { CHALLENGE_LIFETIME_MS, newChallenge } from "./challenge";
import { ALGORITHMS } from "./public-key";
import { relyingParty } from "./relying-party";
import type { CreationOptions, RequestOptions } from "./schemas";

/** A passkey that the options name. */
interface Named {
  id: string;
  transports: readonly string[];
}

const named = (passkeys: readonly Named[]) =>
  passkeys.map(({ id, transports }) => ({ type: "public-key" as const, id, transports: [...transports] }));

interface Account {
  userId: string;
  email: string;
  name: string | null;
}

/**
 * Returns options to make a passkey that needs no user name at sign-in and always verifies its user. With "preferred"
 * in place of "required", a laptop with its lid closed would skip that verification.
 */
export async function creationOptions(
  deps: Deps,
  account: Account,
  present: readonly Named[],
): Promise<CreationOptions> {
  return optionsFor(deps, account, present, await newChallenge(deps, "register", account.userId));
}

/**
 * What tells an authenticator which passkeys of a user are left, so that it offers no others: the argument of
 * `signalAllAcceptedCredentials` (WebAuthn, section 5.1.10).
 */
export const acceptedPasskeys = (config: Config, userId: string, passkeys: readonly { id: string }[]) => ({
  rpId: relyingParty(config).id,
  userId: userHandle(userId),
  allAcceptedCredentialIds: passkeys.map(({ id }) => id),
});

const userHandle = (userId: string): string => base64url.encode(utf8(userId));

/** The same for somebody who has no account yet. The state keeps `account`, and no row does. */
export async function signUpOptions<A extends Account>(deps: Deps, account: A): Promise<CreationOptions> {
  return optionsFor(deps, account, [], await newChallenge(deps, "sign-up", null, account));
}

function optionsFor(
  deps: Deps,
  { userId, email, name }: Account,
  present: readonly Named[],
  { challenge, state, expiresAt }: Awaited<ReturnType<typeof newChallenge>>,
): CreationOptions {
  const rp = relyingParty(deps.config);
  const options = {
    rp: { id: rp.id, name: rp.name },
    user: { id: userHandle(userId), name: email, displayName: name ?? email },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
    timeout: CHALLENGE_LIFETIME_MS,
    excludeCredentials: named(present),
    authenticatorSelection: {
      residentKey: "required" as const,
      requireResidentKey: true as const,
      userVerification: "required" as const,
    },
    attestation: "none" as const,
  };
  return { state, options, expiresAt: iso(expiresAt) };
}

/** Options to sign in with any passkey. They are the same for everybody, so that they reveal nothing about accounts. */
export const loginOptions = (deps: Deps): Promise<RequestOptions> => requestOptions(deps, "login", null, []);

/** Options to confirm a session with one of the user's passkeys. */
export const stepUpOptions = (deps: Deps, userId: string, own: readonly Named[]): Promise<RequestOptions> =>
  requestOptions(deps, "step-up", userId, own);

async function requestOptions(
  deps: Deps,
  purpose: "login" | "step-up",
  userId: string | null,
  allowed: readonly Named[],
): Promise<RequestOptions> {
  const { challenge, state, expiresAt } = await newChallenge(deps, purpose, userId);
  const options = {
    challenge,
    rpId: relyingParty(deps.config).id,
    timeout: CHALLENGE_LIFETIME_MS,
    allowCredentials: named(allowed),
    userVerification: "required" as const,
  };
  return { state, options, expiresAt: iso(expiresAt) };
}
