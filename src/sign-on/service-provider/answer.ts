/**
 * A response by SAML comes from a page of the provider, without the cookie that keeps the flow. What it says is judged,
 * sealed and handed to a page of our own, to which the browser brings the cookie.
 */
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import { seal, unseal } from "../../identity/providers/sealed";
import type { IdpClaims } from "../oidc/id-token";
import type { SaidOfPerson } from "../oidc/person";
import type { ReasonFacts, RefusalReason, SignOnStep } from "../refused";

/** The browser follows at once. */
const LIFETIME_MS = MINUTE_MS;

/** Who has signed on, by an assertion that counts once. */
export interface AssertedPerson {
  person: SaidOfPerson;
  /** When the session ends at the provider, Unix ms; null: it does not say. */
  endsAt: number | null;
  /** Under which the use of the assertion is stored. */
  assertionId: string;
  /** Whether the subject is an address. */
  isAddress: boolean;
}

/** What a response has come to. */
export interface SamlAnswer {
  connectionId: string;
  /** The version of the connection by which it was judged. */
  version: number;
  /** The request that it answers; null: none, or it cannot be read. */
  requestId: string | null;
  asserted: AssertedPerson | null;
  refused: { step: SignOnStep; reason: RefusalReason; facts: ReasonFacts } | null;
  /** What the trace takes; null: nothing was verified. */
  claims: IdpClaims | null;
  /** Where the client continues after a response that answers no request; "" for nowhere. */
  to: string;
}

export const sealAnswer = (deps: Deps, answer: SamlAnswer): Promise<string> =>
  seal(deps, "sign-on answer", { ...answer, expiresAt: deps.now() + LIFETIME_MS });

/** Null for what was not sealed here within a minute. */
export const openAnswer = (deps: Deps, sealed: string): Promise<SamlAnswer | null> =>
  unseal<SamlAnswer & { expiresAt: number }>(deps, "sign-on answer", sealed);
