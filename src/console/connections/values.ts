/** The form of a connection: its fields as texts, and what the API is sent for them. */
import type { RoleRule } from "../../base/schemas/connection-settings";
import type { ConnectionView } from "../../sign-on/connections/schemas";
import { type Form, textsOf } from "../http/form";
import { ACCESS_NAMES, accessIn, accessText } from "./access";

const NAMES = [
  "name",
  "provider",
  "saml.metadata",
  "saml.metadataUrl",
  "saml.entityId",
  "saml.ssoUrl",
  "saml.certificates",
  "oidc.issuer",
  "oidc.clientId",
  "oidc.clientAuth",
  "oidc.clientSecret",
  "oidc.scopes",
  "attributes.subject",
  "attributes.email",
  "attributes.name",
  "attributes.groups",
  "roles.default",
  "roles.rules",
  ...ACCESS_NAMES,
] as const;

export type ConnectionValues = Record<(typeof NAMES)[number], string>;

export const readValues = (sent: Form): ConnectionValues => sent.texts(...NAMES);

export const EMPTY_VALUES: ConnectionValues = textsOf(NAMES, () => "");

export const valuesOf = (view: ConnectionView): ConnectionValues => ({
  ...ofProvider(view),
  "roles.default": view.roles.default ?? "",
  "roles.rules": view.roles.rules.map(lineOf).join("\n"),
  ...textsOf(ACCESS_NAMES, (name) => accessText(view, name)),
});

const ofProvider = ({ name, provider, oidc, saml, attributes }: ConnectionView) => ({
  name,
  provider,
  "saml.metadata": "",
  "saml.metadataUrl": "",
  "saml.entityId": saml?.entityId ?? "",
  "saml.ssoUrl": saml?.ssoUrl ?? "",
  "saml.certificates": (saml?.certificates ?? []).map(({ certificate }) => pemOf(certificate)).join("\n"),
  "oidc.issuer": oidc?.issuer ?? "",
  "oidc.clientId": oidc?.clientId ?? "",
  "oidc.clientAuth": oidc?.clientAuth ?? "",
  "oidc.clientSecret": "",
  "oidc.scopes": oidc?.scopes ?? "",
  "attributes.subject": attributes.subject,
  "attributes.email": attributes.email,
  "attributes.name": attributes.name,
  "attributes.groups": attributes.groups,
});

const lineOf = (rule: RoleRule): string =>
  rule.claim === undefined ? `${rule.role}: ${rule.group}` : `${rule.role}: ${rule.claim} = ${rule.equals}`;

/** One rule a line: the role, a colon, and a group or a claim with its value. */
function ruleOf(line: string): RoleRule {
  const [, role = "", wanted = ""] = /^\s*([^:]*?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
  const [, claim, equals] = /^(\S+) = (.+)$/.exec(wanted) ?? [];
  return claim !== undefined && equals !== undefined ? { claim, equals, role } : { group: wanted, role };
}

/** What the API is sent of the provider; an empty secret keeps the one that is stored. */
export const providerChangeIn = (values: ConnectionValues) => ({
  name: values.name,
  oidc: {
    ...basicsIn(values),
    clientAuth: values["oidc.clientAuth"],
    scopes: values["oidc.scopes"] || null,
  },
  attributes: { subject: values["attributes.subject"], ...namesIn(values) },
});

const namesIn = (values: ConnectionValues) => ({
  email: values["attributes.email"] || null,
  name: values["attributes.name"] || null,
  groups: values["attributes.groups"] || null,
});

/** What the API is sent of a connection by SAML; `isSetup`: by somebody with a setup link. */
export const samlChangeIn = (values: ConnectionValues, isSetup: boolean) => ({
  ...samlBasicsIn(values),
  attributes: namesIn(values),
  ...(isSetup ? {} : membersIn(values)),
});

/** Metadata, where it is given, takes the place of the fields. */
export function samlBasicsIn(values: ConnectionValues) {
  const [metadata, metadataUrl] = [values["saml.metadata"].trim(), values["saml.metadataUrl"].trim()];
  const fields = {
    entityId: values["saml.entityId"].trim() || null,
    ssoUrl: values["saml.ssoUrl"].trim() || null,
    certificates: certificatesIn(values["saml.certificates"]),
  };
  const saml = metadata === "" && metadataUrl === "" ? fields : givenOf({ metadata, metadataUrl });
  return { name: values.name, provider: values.provider || null, saml };
}

const givenOf = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates in a text: of PEM each is one, else each paragraph. */
const certificatesIn = (text: string): string[] =>
  text.match(PEM) ?? text.split(/\n\s*\n/).filter((part) => part.trim() !== "");

const pemOf = (der: string): string =>
  `-----BEGIN CERTIFICATE-----\n${der.replaceAll(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE-----`;

/** What the API is sent of a directory alone; `isSetup`: by somebody with a setup link. */
export const directoryChangeIn = (values: ConnectionValues, isSetup: boolean) => {
  if (isSetup) return { name: values.name };
  const { default: role, rules } = membersIn(values).roles;
  return { name: values.name, roles: { default: role, rules } };
};

/** What the API is sent of everything. */
export const changeIn = (values: ConnectionValues) => ({
  ...providerChangeIn(values),
  ...membersIn(values),
});

function membersIn(values: ConnectionValues) {
  const { roles, ...access } = accessIn(values);
  return { ...access, roles: { ...roles, default: values["roles.default"] || null, rules: rulesIn(values) } };
}

export const rulesIn = (values: ConnectionValues): RoleRule[] =>
  values["roles.rules"]
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(ruleOf);

export const basicsIn = (values: ConnectionValues) => ({
  issuer: values["oidc.issuer"] || null,
  clientId: values["oidc.clientId"] || null,
  ...(values["oidc.clientSecret"] === "" ? {} : { clientSecret: values["oidc.clientSecret"] }),
});
