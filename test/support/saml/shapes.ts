/** Responses as well-known providers write them: their prefixes, their order, what they leave out. */
import { canonicalText, canonicalValue } from "../../../src/sign-on/saml/characters";
import type { Facts } from "./facts";
import type { SigningWay } from "./signing";

const SAML = "urn:oasis:names:tc:SAML:2.0:assertion";
const SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol";
const ENTITY = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
const XS = "http://www.w3.org/2001/XMLSchema";
const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const [BASIC, URI] = ["basic", "uri"].map((one) => `urn:oasis:names:tc:SAML:2.0:attrname-format:${one}`);

export interface Shape {
  /** The prefixes of the protocol's elements and of the assertion's; none where one is empty. */
  protocol: string;
  assertion: string;
  /** Whether the assertion's namespace is declared on the response rather than on the assertion. */
  outside?: boolean;
  /** Whether each issuer declares the namespace again. */
  issuerDeclares?: boolean;
  issuerFormat?: boolean;
  nameFormat?: "basic" | "uri";
  friendlyNames?: boolean;
  /** How values are typed: by xsi:type, where namespaces are declared on the value or on the assertion. */
  types?: "value" | "assertion";
  consent?: boolean;
  declaration?: boolean;
  /** White space between the elements. */
  lines?: string;
  signing: SigningWay;
}

const KEY_INFO = "<ds:KeyInfo><ds:X509Data><ds:X509Certificate>MIIC</ds:X509Certificate></ds:X509Data></ds:KeyInfo>";

export const SHAPES: Readonly<Record<string, Shape>> = {
  okta: {
    protocol: "saml2p",
    assertion: "saml2",
    issuerDeclares: true,
    issuerFormat: true,
    nameFormat: "basic",
    types: "assertion",
    declaration: true,
    signing: { inclusive: "xs", keyInfo: KEY_INFO },
  },
  entra: {
    protocol: "samlp",
    assertion: "",
    issuerDeclares: true,
    signing: { prefix: "", keyInfo: KEY_INFO.replaceAll("ds:", "") },
  },
  google: {
    protocol: "saml2p",
    assertion: "saml2",
    issuerDeclares: true,
    types: "value",
    declaration: true,
    signing: { keyInfo: KEY_INFO },
  },
  keycloak: {
    protocol: "samlp",
    assertion: "saml",
    outside: true,
    nameFormat: "basic",
    friendlyNames: true,
    types: "value",
    signing: { keyInfo: KEY_INFO },
  },
  adfs: {
    protocol: "samlp",
    assertion: "",
    issuerDeclares: true,
    consent: true,
    signing: { hash: "SHA-512", digest: "SHA-512", keyInfo: KEY_INFO },
  },
  onelogin: {
    protocol: "samlp",
    assertion: "saml",
    outside: true,
    nameFormat: "uri",
    types: "assertion",
    lines: "\n  ",
    signing: { inclusive: "#default samlp saml xs xsi", keyInfo: KEY_INFO },
  },
};

export const iso = (ms: number): string => new Date(ms).toISOString();

/** The response, with `{signature}` where the assertion's belongs. */
export function responseXml(facts: Facts, shape: Shape): string {
  const { protocol: p, lines = "" } = shape;
  const issuer = issuerIn(facts, shape, true);
  const outside = shape.outside ? ` ${xmlns(shape.assertion)}="${SAML}"` : "";
  const consent = shape.consent ? ' Consent="urn:oasis:names:tc:SAML:2.0:consent:unspecified"' : "";
  return (
    (shape.declaration ? '<?xml version="1.0" encoding="UTF-8"?>' : "") +
    `<${p}:Response Destination="${facts.acsUrl}" ID="${facts.responseId}" InResponseTo="${facts.requestId}" ` +
    `IssueInstant="${iso(facts.nowMs)}" Version="2.0"${consent} ${xmlns(p)}="${SAMLP}"${outside}>` +
    `${lines}${issuer}${lines}` +
    `<${p}:Status><${p}:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></${p}:Status>${lines}` +
    `${assertionXml(facts, shape)}${lines}</${p}:Response>`
  );
}

export function assertionXml(facts: Facts, shape: Shape): string {
  const { lines = "" } = shape;
  const [name, end] = [named(shape), iso(facts.nowMs + 300_000)];
  const typed = shape.types === "assertion" ? ` xmlns:xs="${XS}" xmlns:xsi="${XSI}"` : "";
  const own = shape.outside ? "" : ` ${xmlns(shape.assertion)}="${SAML}"`;
  const parts = [
    issuerIn(facts, shape, false),
    "{signature}",
    subjectXml(facts, shape, end),
    `<${name}Conditions NotBefore="${iso(facts.nowMs - 5_000)}" NotOnOrAfter="${end}"><${name}AudienceRestriction>` +
      `<${name}Audience>${facts.audience}</${name}Audience></${name}AudienceRestriction></${name}Conditions>`,
    attributesXml(facts, shape),
    authnXml(facts, shape),
  ];
  return (
    `<${name}Assertion ID="${facts.assertionId}" IssueInstant="${iso(facts.nowMs)}" Version="2.0"${own}${typed}>` +
    `${lines}${parts.join(lines)}${lines}</${name}Assertion>`
  );
}

const named = ({ assertion }: Shape): string => (assertion === "" ? "" : `${assertion}:`);
const xmlns = (prefix: string): string => (prefix === "" ? "xmlns" : `xmlns:${prefix}`);

function issuerIn({ idpEntityId }: Facts, shape: Shape, isOutside: boolean): string {
  const [name, format] = [named(shape), shape.issuerFormat ? ` Format="${ENTITY}"` : ""];
  const declared = shape.issuerDeclares || (isOutside && !shape.outside) ? ` ${xmlns(shape.assertion)}="${SAML}"` : "";
  return `<${name}Issuer${format}${declared}>${canonicalText(idpEntityId)}</${name}Issuer>`;
}

function subjectXml({ subject, nameIdFormat, acsUrl, requestId }: Facts, shape: Shape, end: string): string {
  const name = named(shape);
  return (
    `<${name}Subject><${name}NameID Format="${nameIdFormat}">${canonicalText(subject)}</${name}NameID>` +
    `<${name}SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><${name}SubjectConfirmationData ` +
    `InResponseTo="${requestId}" NotOnOrAfter="${end}" Recipient="${acsUrl}"/></${name}SubjectConfirmation>` +
    `</${name}Subject>`
  );
}

function attributesXml({ attributes }: Facts, shape: Shape): string {
  const name = named(shape);
  const format = shape.nameFormat ? ` NameFormat="${shape.nameFormat === "uri" ? URI : BASIC}"` : "";
  const declared = shape.types === "value" ? ` xmlns:xs="${XS}" xmlns:xsi="${XSI}"` : "";
  const type = shape.types ? `${declared} xsi:type="xs:string"` : "";
  const written = Object.entries(attributes).map(([key, values]) => {
    const friendly = shape.friendlyNames ? ` FriendlyName="${canonicalValue(key)} (friendly)"` : "";
    const all = values.map((one) => `<${name}AttributeValue${type}>${canonicalText(one)}</${name}AttributeValue>`);
    return `<${name}Attribute${friendly} Name="${canonicalValue(key)}"${format}>${all.join("")}</${name}Attribute>`;
  });
  return written.length === 0 ? "" : `<${name}AttributeStatement>${written.join("")}</${name}AttributeStatement>`;
}

function authnXml(facts: Facts, shape: Shape): string {
  const name = named(shape);
  const end = facts.sessionNotOnOrAfterMs === null ? "" : ` SessionNotOnOrAfter="${iso(facts.sessionNotOnOrAfterMs)}"`;
  return (
    `<${name}AuthnStatement AuthnInstant="${iso(facts.authnInstantMs ?? facts.nowMs)}" ` +
    `SessionIndex="${canonicalValue(facts.sessionIndex)}"${end}><${name}AuthnContext><${name}AuthnContextClassRef>` +
    `${facts.authnContext}</${name}AuthnContextClassRef></${name}AuthnContext></${name}AuthnStatement>`
  );
}
