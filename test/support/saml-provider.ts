/** An identity provider by SAML 2.0: its metadata, and the responses that it signs. */
import { toBase64 } from "../../src/base/crypto/encoding";
import { type Certified, newCertificate } from "./certificates";

const C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
export const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
export const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

export interface SamlProvider extends Certified {
  entityId: string;
  ssoUrl: string;
}

/** A provider of its own, with one key. */
export async function newSamlProvider(notAfterMs?: number): Promise<SamlProvider> {
  const host = `https://${crypto.randomUUID()}.saml.example`;
  return { entityId: `${host}/metadata`, ssoUrl: `${host}/sso`, ...(await newCertificate(notAfterMs)) };
}

export const metadataOf = ({ entityId, ssoUrl, certificate }: SamlProvider) =>
  `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">` +
  `<md:IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}"><md:KeyDescriptor use="signing">` +
  `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}` +
  "</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>" +
  '<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" ' +
  `Location="${ssoUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`;

/** What a response says; what a test leaves out is as it should be. */
export interface Said {
  /** Null: the response answers no request. */
  inResponseTo: string | null;
  audience: string;
  acsUrl: string;
  subject?: string;
  format?: string;
  attributes?: Readonly<Record<string, string | readonly string[]>>;
  issuer?: string;
  assertionId?: string;
  recipient?: string;
  authnContext?: string;
  /** Milliseconds that are added to the present. */
  issuedIn?: number;
  authenticatedIn?: number;
  sessionEndsIn?: number;
  /** Changes the whole after it was signed. */
  tamper?: (xml: string) => string;
}

const MINUTE = 60_000;
const at = (inMs: number) => new Date(Date.now() + inMs).toISOString();
const utf8 = (text: string) => new TextEncoder().encode(text);
const base64 = (bytes: ArrayBuffer) => toBase64(new Uint8Array(bytes));

function statementsOf(said: Said): string {
  const { attributes = {}, authenticatedIn = 0, sessionEndsIn, authnContext = PASSWORD } = said;
  const end = sessionEndsIn === undefined ? "" : ` SessionNotOnOrAfter="${at(sessionEndsIn)}"`;
  const values = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}">` +
      [value]
        .flat()
        .map((one) => `<saml:AttributeValue>${one}</saml:AttributeValue>`)
        .join("") +
      "</saml:Attribute>",
  );
  return (
    `<saml:AuthnStatement AuthnInstant="${at(authenticatedIn)}"${end}><saml:AuthnContext>` +
    `<saml:AuthnContextClassRef>${authnContext}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    (values.length === 0 ? "" : `<saml:AttributeStatement>${values.join("")}</saml:AttributeStatement>`)
  );
}

/** The assertion in canonical form, with a place for its signature. */
function assertionOf(provider: SamlProvider, said: Said, id: string): readonly [before: string, after: string] {
  const { issuer = provider.entityId, subject = "person-1", format = PERSISTENT, issuedIn = 0 } = said;
  const { recipient = said.acsUrl, inResponseTo, audience } = said;
  const answers = inResponseTo === null ? "" : ` InResponseTo="${inResponseTo}"`;
  const before =
    `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${id}" IssueInstant="${at(issuedIn)}" Version="2.0">` +
    `<saml:Issuer>${issuer}</saml:Issuer>`;
  const after =
    `<saml:Subject><saml:NameID Format="${format}">${subject}</saml:NameID>` +
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">' +
    `<saml:SubjectConfirmationData${answers} NotOnOrAfter="${at(issuedIn + 5 * MINUTE)}" Recipient="${recipient}">` +
    "</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>" +
    `<saml:Conditions NotBefore="${at(issuedIn - MINUTE)}" NotOnOrAfter="${at(issuedIn + 5 * MINUTE)}">` +
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>` +
    `</saml:Conditions>${statementsOf(said)}</saml:Assertion>`;
  return [before, after];
}

async function signatureOf({ privateKey }: SamlProvider, id: string, canonical: string): Promise<string> {
  const digest = base64(await crypto.subtle.digest("SHA-256", utf8(canonical)));
  const info =
    '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">' +
    `<ds:CanonicalizationMethod Algorithm="${C14N}"></ds:CanonicalizationMethod>` +
    '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"></ds:SignatureMethod>' +
    `<ds:Reference URI="#${id}"><ds:Transforms>` +
    '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform>' +
    `<ds:Transform Algorithm="${C14N}"></ds:Transform></ds:Transforms>` +
    '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>' +
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const hash = { name: "ECDSA", hash: "SHA-256" };
  const value = base64(await crypto.subtle.sign(hash, privateKey, utf8(info)));
  const inner = info.replace(' xmlns:ds="http://www.w3.org/2000/09/xmldsig#"', "");
  return (
    `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${inner}` +
    `<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`
  );
}

/** A response as the form has it: base64. */
export async function samlResponse(provider: SamlProvider, said: Said): Promise<string> {
  const { assertionId = `_${crypto.randomUUID()}`, inResponseTo, acsUrl, tamper = (xml: string) => xml } = said;
  const [before, after] = assertionOf(provider, said, assertionId);
  const signature = await signatureOf(provider, assertionId, before + after);
  const answers = inResponseTo === null ? "" : ` InResponseTo="${inResponseTo}"`;
  const xml =
    `<samlp:Response xmlns:samlp="${PROTOCOL}" ID="_${crypto.randomUUID()}" Version="2.0" ` +
    `IssueInstant="${at(said.issuedIn ?? 0)}" Destination="${acsUrl}"${answers}>` +
    '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>' +
    `${before}${signature}${after}</samlp:Response>`;
  return toBase64(utf8(tamper(xml)));
}
