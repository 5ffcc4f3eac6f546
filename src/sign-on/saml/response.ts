/**
 * The answer of a provider by SAML 2.0 (Web Browser SSO Profile, POST binding). One tree is parsed, one assertion in it
 * is hashed, and that very element is read; nothing is looked for by an ID. Nothing outside it is trusted.
 */
import { strictBase64 } from "./base64";
import { readCertificate } from "./certificate";
import { checkConditions, checkIssuer, checkRecipient, checkRequest } from "./conditions";
import { SAML, SAMLP } from "./names";
import { MAX_XML_BYTES, parseXml } from "./parse";
import { personIn, type SamlPerson } from "./person";
import { refused } from "./refuse";
import { AlgorithmRefused, signatureOf } from "./signature";
import { checkStatus } from "./status";
import { isSignedBy } from "./verify";
import {
  attributeOf,
  childrenNamed,
  countIn,
  isNamed,
  onlyChild,
  requiredChild,
  requiredText,
  type XmlElement,
  XmlRefused,
} from "./xml";

export type { SamlPerson } from "./person";

export interface SamlExpectation {
  idpEntityId: string;
  /** One or two, each in PEM or in the base64 of its DER. Only their keys count. */
  certificates: readonly string[];
  audience: string;
  acsUrl: string;
  /** The ID of the request that this sign-on has sent. */
  requestId: string;
}

/** As much base64 as 128 KiB need, and some line ends. */
const MAX_CHARACTERS = 192 * 1024;

/** Reads the field `SAMLResponse` of the form. Throws SignOnRefused. */
export async function readResponse(
  samlResponse: string,
  expected: SamlExpectation,
  nowMs: number,
): Promise<SamlPerson> {
  try {
    const response = rootOf(samlResponse);
    checkEnvelope(response, expected);
    const assertion = assertionIn(response);
    await checkSignature(assertion, expected.certificates);
    checkVersion(assertion);
    checkIssuer(requiredText(requiredChild(assertion, SAML, "Issuer")), expected.idpEntityId);
    return personIn(assertion, checkConditions(assertion, expected, nowMs), nowMs);
  } catch (error) {
    if (error instanceof XmlRefused) throw refused("xml", { why: error.message });
    if (error instanceof AlgorithmRefused) throw refused("algorithm", { algorithm: error.message });
    throw error;
  }
}

/** Which request a response claims to answer, without any trust; null for none, and for what cannot be read. */
export function claimedInResponseTo(samlResponse: string): string | null {
  try {
    return attributeOf(rootOf(samlResponse), "InResponseTo") || null;
  } catch (error) {
    if (error instanceof XmlRefused) return null;
    throw error;
  }
}

function rootOf(samlResponse: string): XmlElement {
  const bytes = samlResponse.length > MAX_CHARACTERS ? null : strictBase64(samlResponse);
  if (bytes === null) throw new XmlRefused(`it is no base64, or larger than ${MAX_XML_BYTES / 1024} KiB`);
  const root = parseXml(bytes);
  if (!isNamed(root, SAMLP, "Response")) throw new XmlRefused("it is no Response of SAML 2.0");
  return root;
}

/** What surrounds the assertion is not signed. That it says otherwise is a mistake all the same. */
function checkEnvelope(response: XmlElement, { idpEntityId, acsUrl, requestId }: SamlExpectation): void {
  checkVersion(response);
  checkStatus(requiredChild(response, SAMLP, "Status"));
  const issuer = onlyChild(response, SAML, "Issuer");
  if (issuer !== null) checkIssuer(requiredText(issuer), idpEntityId);
  const [destination, inResponseTo] = [attributeOf(response, "Destination"), attributeOf(response, "InResponseTo")];
  if (destination !== null) checkRecipient(destination, acsUrl);
  if (inResponseTo !== null) checkRequest(inResponseTo, requestId);
}

function checkVersion(element: XmlElement): void {
  if (attributeOf(element, "Version") !== "2.0") throw new XmlRefused(`the version of ${element.local} is not 2.0`);
}

/** The one assertion, which is directly in the response. Those of any namespace count, as do such below others. */
function assertionIn(response: XmlElement): XmlElement {
  if (countIn(response, ({ local }) => local.startsWith("Encrypted")) > 0) throw refused("encrypted");
  const count = countIn(response, ({ local }) => local === "Assertion");
  if (count > 1) throw new XmlRefused(`it has ${count} assertions, and one is taken`);
  const [assertion] = childrenNamed(response, SAML, "Assertion");
  if (assertion === undefined) throw refused("assertion_missing");
  return assertion;
}

async function checkSignature(assertion: XmlElement, certificates: readonly string[]): Promise<void> {
  const signature = signatureOf(assertion);
  if (signature === null) throw refused("not_signed");
  const read = await Promise.all(certificates.map(readCertificate));
  const isSigned = await isSignedBy(
    read.map(({ key }) => key),
    assertion,
    signature,
  );
  if (!isSigned) throw refused("bad_signature");
}
