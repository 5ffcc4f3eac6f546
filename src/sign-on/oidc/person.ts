/** Who has signed on, from verified claims: by the names that the connection gives the claims. */
import type { AttributeNames, ConnectionSettings, RoleRule } from "../../base/schemas/connection-settings";
import { email as emailSchema, name as nameSchema } from "../../base/schemas/schemas";
import { SignOnRefused } from "../refused";
import type { JudgedRole, SignedOn } from "../signed-on";
import { hasMfa, type IdpClaims, textsOf } from "./id-token";

const MAX_SUBJECT_CHARACTERS = 255;
const MAX_ACR_CHARACTERS = 255;
const MAX_AMR = 10;

/** What the claims say of the person. */
export type SaidOfPerson = Pick<
  SignedOn,
  | "subject"
  | "email"
  | "emailVerified"
  | "hostedDomain"
  | "name"
  | "role"
  | "claimRule"
  | "acr"
  | "amr"
  | "hasTrustedMfa"
  | "authenticatedAt"
  | "sid"
>;

/** The claim of this name: one that has the whole name, else what dots lead to. */
export function claimAt(claims: IdpClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((value, part) => memberOf(value, part), claims);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Whether a claim is missing that the connection reads, so that userinfo is worth asking. */
export function lacksClaims(claims: IdpClaims, { attributes, roles }: ConnectionSettings): boolean {
  const read = [attributes.email, attributes.name, ...roles.rules.map((rule) => claimOf(rule, attributes))];
  return read.some((name) => claimAt(claims, name) === undefined && !isOverage(claims, name));
}

const claimOf = (rule: RoleRule, { groups }: AttributeNames): string => rule.claim ?? groups;

/** Throws SignOnRefused without a subject. What is missing beside it is judged later. */
export function personOf(claims: IdpClaims, settings: ConnectionSettings): SaidOfPerson {
  const { attributes, session } = settings;
  const subject = claims[attributes.subject];
  if (typeof subject !== "string" || subject === "" || subject.length > MAX_SUBJECT_CHARACTERS) {
    throw new SignOnRefused("person", "no_subject", { claim: attributes.subject });
  }
  const { acr, amr, sid, hd, auth_time: authTime } = claims;
  return {
    subject,
    email: emailSchema.safeParse(claimAt(claims, attributes.email)).data ?? null,
    emailVerified: booleanOf(claims["email_verified"]),
    hostedDomain: typeof hd === "string" && hd !== "" ? hd.toLowerCase() : null,
    name: nameSchema.safeParse(inOneLine(claimAt(claims, attributes.name))).data ?? null,
    role: judgeRole(claims, settings),
    claimRule: firstAboutClaims(claims, settings),
    acr: typeof acr === "string" && acr.length <= MAX_ACR_CHARACTERS ? acr : null,
    amr: textsOf(amr)
      .slice(0, MAX_AMR)
      .map((one) => one.slice(0, 40)),
    hasTrustedMfa: session.trustMfa && hasMfa(claims, session.acrValues),
    authenticatedAt: typeof authTime === "number" ? authTime * 1000 : null,
    sid: typeof sid === "string" && sid.length <= MAX_SUBJECT_CHARACTERS ? sid : null,
  };
}

const inOneLine = (name: unknown): unknown => (typeof name === "string" ? name.replaceAll(/[\s\p{Cc}]+/gu, " ") : name);

/** Some providers send booleans as text. What is neither is no yes. */
function booleanOf(claim: unknown): boolean | null {
  if (claim === undefined || claim === null) return null;
  return claim === true || (typeof claim === "string" && claim.toLowerCase() === "true");
}

/** The first rule that fits gives the role. */
export function judgeRole(claims: IdpClaims, { attributes, roles }: ConnectionSettings): JudgedRole {
  const isCut = isOverage(claims, attributes.groups);
  for (const [index, rule] of roles.rules.entries()) {
    if (rule.claim === undefined && isCut) return "unchanged";
    if (fits(rule, claims, attributes)) return { role: rule.role, rule: index };
  }
  return { role: roles.default, rule: null };
}

/** Groups count that the tenant's directory has here, where it has any: they are known at the exchange. */
function firstAboutClaims(claims: IdpClaims, { attributes, roles }: ConnectionSettings): number | null {
  const index = roles.rules.findIndex((rule) => rule.claim !== undefined && fits(rule, claims, attributes));
  return index < 0 ? null : index;
}

function fits(rule: RoleRule, claims: IdpClaims, attributes: AttributeNames): boolean {
  const value = claimAt(claims, claimOf(rule, attributes));
  const wanted = rule.claim === undefined ? rule.group : rule.equals;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).some(
    (one) => (typeof one === "string" || typeof one === "number" || typeof one === "boolean") && String(one) === wanted,
  );
}

/** Entra leaves out the groups of somebody who has more than 200 of them, and says so. */
function isOverage(claims: IdpClaims, groups: string): boolean {
  if (claimAt(claims, groups) !== undefined) return false;
  const isElsewhere = memberOf(claims["_claim_names"], groups) !== undefined;
  return isElsewhere || booleanOf(claims["hasgroups"]) === true;
}
