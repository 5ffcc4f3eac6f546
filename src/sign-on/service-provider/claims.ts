/** What an assertion says, as the claims by which people are known and roles are given. */
import type { AttributeNames } from "../../base/schemas/connection-settings";
import type { IdpClaims } from "../oidc/id-token";
import type { SamlPerson } from "../saml/response";

const EMAIL_ADDRESS = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const CLAIMS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const MICROSOFT = "http://schemas.microsoft.com";

/** What providers call it, where the connection leaves the default name. The first that is sent counts. */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  email: ["mail", "emailAddress", `${CLAIMS}/emailaddress`, "urn:oid:0.9.2342.19200300.100.1.3"],
  name: ["displayName", `${MICROSOFT}/identity/claims/displayname`, "urn:oid:2.16.840.1.113730.3.1.241"],
  groups: ["memberOf", `${MICROSOFT}/ws/2008/06/identity/claims/groups`, "http://schemas.xmlsoap.org/claims/Group"],
};

/** How Entra and AD FS say that there was a second factor, and Entra that it has left out the groups. */
const METHODS = `${MICROSOFT}/claims/authnmethodsreferences`;
const SEVERAL_FACTORS = `${MICROSOFT}/claims/multipleauthn`;
const GROUPS_ELSEWHERE = `${MICROSOFT}/claims/groups.link`;

/** Claims that say something of their own here: no attribute says it. */
const RESERVED: ReadonlySet<string> = new Set(["sub", "oid", "acr", "amr", "auth_time", "sid", "hd", "hasgroups"]);

/** Whether the subject is an address, which may pass to another person. */
export const isAddress = ({ nameIdFormat }: Pick<SamlPerson, "nameIdFormat">): boolean =>
  nameIdFormat === EMAIL_ADDRESS;

/** An attribute with one value is a text, with several a list. `names` are those of the connection. */
export function claimsOfAssertion(person: SamlPerson, names: AttributeNames): IdpClaims {
  const { subject, nameIdFormat, authnContext, authnInstantMs, attributes } = person;
  const valuesOf = (name: string) => (Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : []);
  const named = (name: string) => [name, ...(USUAL_NAMES[name] ?? [])].map(valuesOf).find((all) => all.length > 0);
  const [email = isAddress(person) ? subject : undefined] = named(names.email) ?? [];
  const sent = Object.entries(attributes).filter(([name, values]) => !RESERVED.has(name) && values.length > 0);
  const read = {
    [names.name]: named(names.name)?.[0],
    [names.groups]: named(names.groups),
    email,
    [names.email]: email,
    sub: subject,
    nameIdFormat: nameIdFormat ?? undefined,
    acr: authnContext ?? undefined,
    auth_time: authnInstantMs === null ? undefined : authnInstantMs / 1000,
    amr: valuesOf(METHODS).includes(SEVERAL_FACTORS) ? ["mfa"] : undefined,
    hasgroups: Object.hasOwn(attributes, GROUPS_ELSEWHERE) ? true : undefined,
  };
  return Object.fromEntries([
    ...sent.map(([name, values]) => [name, values.length === 1 ? values[0] : values] as const),
    ...Object.entries(read).filter(([, value]) => value !== undefined),
  ]);
}
