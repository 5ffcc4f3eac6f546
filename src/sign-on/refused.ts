/** Why a sign-on is refused, and what to change at the identity provider. */

/** What a message says beside its reason: names and figures, and nothing that the provider sent in secret. */
export type ReasonFacts = Readonly<Record<string, string | number>>;

/** `{name}` is a fact. */
const SIGN_ON_REASONS = {
  discovery_failed: "The provider's document cannot be used: {why}. Check the issuer.",
  endpoint_refused: "The provider names an address that is refused for its {endpoint}: {why}.",
  token_endpoint_failed:
    "The provider's token endpoint answered {answer}. Check that the redirect URI here is entered there " +
    "to the letter, and that the app may use the authorization code.",
  bad_client:
    "The provider does not accept how this service proves itself. Enter the client ID and a new client " +
    "secret, or, with private_key_jwt, the address of the keys.",
  bad_signature:
    "The signature is not that of a key of this connection. Of an ID token: check that the issuer is the one at " +
    "which the app is registered. Of a SAML assertion: enter the certificate with which the provider signs now.",
  unknown_key:
    "The ID token is signed with a key that the provider does not publish, or by an algorithm that is not " +
    "taken ({algorithm}). Set the app to sign with RS256.",
  issuer:
    "The answer is of {actual}, and this connection of {expected}. Enter the issuer, or the entity ID, that the " +
    "provider uses in its answers.",
  audience:
    "The answer is for {actual}, and not for {expected}. Enter the client ID of the app. With SAML, enter {expected} " +
    "at the provider, as the audience (entity ID).",
  nonce:
    "The ID token does not belong to this sign-on. Check that nothing between the browser and the " +
    "provider keeps answers.",
  expired: "The token or assertion had ended {seconds} seconds ago. Check the clock of the provider.",
  clock_skew: "The provider's clock differs by {seconds} seconds. Set it right: at most 60 are taken.",
  acr:
    "The provider says that the person signed in by acr {actual}, and the connection asks for {expected}. Set up " +
    "that way to sign in there, or change acrValues here.",
  max_age:
    "The person signed in too long ago there, or the provider does not say when. Let it send auth_time, " +
    "or remove maxAgeSeconds here.",
  mfa_missing:
    "The provider did not say that the person used a second factor. Require one there, and let it send " +
    "amr with mfa, or one of acrValues.",
  hd:
    "The account is of {actual}, which is no proved domain of this tenant. Prove the domain, or sign in " +
    "with an account of it.",
  tid: "The account is of another directory than the issuer. Sign in with an account of the organisation.",
  no_subject: "The claim {claim} is missing, or has more than 255 characters. Let the provider send it.",
  no_email:
    "The claim {claim} is missing or no email address. Check that the person has an address there and that the " +
    "scopes here ask for it (email), let the provider send the claim, or name another one here.",
  email_unverified:
    "The provider says that nobody has verified the address (email_verified is false). Mark it as verified there, " +
    "or let the provider leave email_verified out.",
  domain_not_proved:
    "The domain {domain} is not proved for this tenant. Add it below Domains, create the DNS record that is shown " +
    "there, and check it.",
  address_taken: "The address belongs to another account, and cannot be taken over.",
  subject_changed:
    "The account with this address has signed on as another person before. An owner can release the former one.",
  operator: "The address belongs to an operator of this service, for whom no identity provider vouches.",
  owner_consent: "The address belongs to an owner of the tenant, who must agree: by a mailed code, or signed in.",
  not_provisioned: "The directory does not have the person. Assign them to the app there, and let it provision them.",
  deactivated: "The directory says that the person is inactive.",
  removed: "Somebody here has removed the person from the tenant. Invite them again.",
  suspended: "The account or the tenant is suspended.",
  cap: "The tenant has as many members as it may have.",
  no_role: "No rule gives the person a role, and there is no default one. Add a rule, or put the person in a group.",
  not_logout_token:
    "What the provider sent is no logout token: {why}. Enter the logout URL for back-channel logout alone.",
  replay: "This logout token or assertion has been used before. Begin again at the sign-in page.",
  xml: "The provider's response is not taken: {why}. If nothing changes it on the way, tell the provider's support.",
  assertion_missing: "The provider's response has no assertion. Check that the person is assigned to the app there.",
  not_signed: "The assertion is not signed. Let the provider sign it: a signature of the response is not enough.",
  algorithm:
    "The response is signed in a way not taken here ({algorithm}). Let the provider sign by RSA and SHA-256, and " +
    "with exclusive canonicalization.",
  encrypted: "The provider has encrypted the response. Turn off the encryption of assertions there.",
  recipient:
    "The response is meant for {actual}, and not for {expected}. Enter the latter at the provider, to the letter, as " +
    "the ACS URL (also called reply URL, or single sign-on URL).",
  in_response_to: "The response does not answer the request of this sign-on. Begin again at the sign-in page.",
  address_as_subject:
    "The NameID is an address, and addresses pass from one person to the next. Let the provider send a NameID that " +
    "stays: of the format persistent, or unspecified with an ID of the person.",
  access_denied: "The provider refused the person: {answer}. Assign the person to the app there.",
} as const satisfies Record<string, string>;

export type RefusalReason = keyof typeof SIGN_ON_REASONS;

export const isReason = (text: string): text is RefusalReason => Object.hasOwn(SIGN_ON_REASONS, text);

/** What a test says while the provider has not sent the browser back: many show their error on a page of their own. */
export const NOT_BACK =
  "The provider has not sent the browser back. If it shows an error about the redirect URI, enter the one of this " +
  "connection there, to the letter; if it does not know the client, enter its client ID here. Then test again.";

/** What to change at the provider, in words. A fact that is missing is "something else". */
export const messageOf = (reason: RefusalReason, facts: ReasonFacts = {}): string =>
  SIGN_ON_REASONS[reason].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? "something else"));

/** The steps of a sign-on, in their order. */
export type SignOnStep =
  | "start"
  | "answer"
  | "token"
  | "id_token"
  | "userinfo"
  | "response"
  | "person"
  | "logout_token"
  | "done";

/** A sign-on that ends without a person. */
export class SignOnRefused extends Error {
  override readonly name = "SignOnRefused";

  constructor(
    readonly step: SignOnStep,
    readonly reason: RefusalReason,
    readonly facts: ReasonFacts = {},
  ) {
    super(reason);
  }
}
