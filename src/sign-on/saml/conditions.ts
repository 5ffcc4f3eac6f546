/** Whether a signed assertion is for us, for this sign-on and for now (SAML 2.0 Profiles, section 4.1.4.3). */
import { BEARER, SAML } from "./names";
import { refused, shown } from "./refuse";
import { OLDEST_MS, refuseEnded, refuseFuture, requiredTime, SKEW_MS, timeIn } from "./times";
import {
  attributeOf,
  childrenNamed,
  elementsIn,
  isNamed,
  requiredChild,
  requiredText,
  type XmlElement,
  XmlRefused,
} from "./xml";

export interface Addressee {
  audience: string;
  acsUrl: string;
  requestId: string;
}

/** Returns until when it could be used, in Unix ms. Throws SignOnRefused and XmlRefused. */
export function checkConditions(assertion: XmlElement, to: Addressee, nowMs: number): number {
  const issuedMs = requiredTime(assertion, "IssueInstant");
  refuseFuture(issuedMs, nowMs);
  refuseEnded(issuedMs + OLDEST_MS, nowMs);
  const ends = [issuedMs + OLDEST_MS, conditionsEnd(assertion, to.audience, nowMs), confirmed(assertion, to, nowMs)];
  return Math.min(...ends) + SKEW_MS;
}

const KNOWN_CONDITIONS = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"];

function conditionsEnd(assertion: XmlElement, audience: string, nowMs: number): number {
  const conditions = requiredChild(assertion, SAML, "Conditions");
  const unknown = elementsIn(conditions).find((one) => !KNOWN_CONDITIONS.some((name) => isNamed(one, SAML, name)));
  if (unknown !== undefined) throw new XmlRefused(`the condition ${unknown.local.slice(0, 40)} is not known`);
  checkAudience(childrenNamed(conditions, SAML, "AudienceRestriction"), audience);
  refuseFuture(timeIn(conditions, "NotBefore"), nowMs);
  const endMs = timeIn(conditions, "NotOnOrAfter");
  refuseEnded(endMs, nowMs);
  return endMs ?? Number.POSITIVE_INFINITY;
}

/** Each restriction must name us, and there must be one. */
function checkAudience(restrictions: readonly XmlElement[], expected: string): void {
  const named = restrictions.map((one) => childrenNamed(one, SAML, "Audience").map(requiredText));
  const other = named.find((audiences) => !audiences.includes(expected));
  if (other !== undefined || named.length === 0) {
    throw refused("audience", { expected, actual: shown(other?.[0] ?? null) });
  }
}

/** Until when the first confirmation that is for us counts; where there is none, what is wrong with the first. */
function confirmed(assertion: XmlElement, to: Addressee, nowMs: number): number {
  const subject = requiredChild(assertion, SAML, "Subject");
  const bearers = childrenNamed(subject, SAML, "SubjectConfirmation").filter(
    (one) => attributeOf(one, "Method") === BEARER,
  );
  const [first, ...others] = bearers;
  if (first === undefined) throw new XmlRefused("the subject has no confirmation of the method bearer");
  try {
    return confirmationEnd(first, to, nowMs);
  } catch (error) {
    for (const other of others) {
      try {
        return confirmationEnd(other, to, nowMs);
      } catch {
        // The first one says what to change.
      }
    }
    throw error;
  }
}

function confirmationEnd(confirmation: XmlElement, { acsUrl, requestId }: Addressee, nowMs: number): number {
  const data = requiredChild(confirmation, SAML, "SubjectConfirmationData");
  checkRecipient(attributeOf(data, "Recipient"), acsUrl);
  checkRequest(attributeOf(data, "InResponseTo"), requestId);
  if (attributeOf(data, "NotBefore") !== null) throw new XmlRefused("SubjectConfirmationData has NotBefore");
  const endMs = requiredTime(data, "NotOnOrAfter");
  refuseEnded(endMs, nowMs);
  return endMs;
}

export function checkRecipient(actual: string | null, expected: string): void {
  if (actual !== expected) throw refused("recipient", { expected, actual: shown(actual) });
}

export function checkRequest(actual: string | null, expected: string): void {
  if (actual !== expected || expected === "") throw refused("in_response_to");
}

export function checkIssuer(actual: string, expected: string): void {
  if (actual !== expected) throw refused("issuer", { expected, actual: shown(actual) });
}
