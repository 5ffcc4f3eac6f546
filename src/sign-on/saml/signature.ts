/** The one signature of an assertion (XML Signature 1.1). It must have one shape: nothing is looked for elsewhere. */
import { strictBase64 } from "./base64";
import { DSIG, ENVELOPED, EXCLUSIVE } from "./names";
import { attributeOf, countIn, elementsIn, isNamed, requiredText, textOf, type XmlElement, XmlRefused } from "./xml";

export type SignatureHash = "SHA-256" | "SHA-512";

export interface AssertionSignature {
  element: XmlElement;
  signedInfo: XmlElement;
  /** The prefixes that count as used in the canonical form of SignedInfo, and of the assertion. */
  inclusive: { signedInfo: ReadonlySet<string>; assertion: ReadonlySet<string> };
  method: SignatureMethod;
  value: Uint8Array<ArrayBuffer>;
  digest: { hash: SignatureHash; value: Uint8Array<ArrayBuffer> };
}

export interface SignatureMethod {
  kind: "RSA" | "P-256";
  hash: SignatureHash;
}

/** A signature by another algorithm than those that are taken. The message is its name. */
export class AlgorithmRefused extends Error {
  override readonly name = "AlgorithmRefused";
}

const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const METHODS: ReadonlyMap<string | null, SignatureMethod> = new Map([
  [`${MORE}rsa-sha256`, { kind: "RSA", hash: "SHA-256" }],
  [`${MORE}rsa-sha512`, { kind: "RSA", hash: "SHA-512" }],
  [`${MORE}ecdsa-sha256`, { kind: "P-256", hash: "SHA-256" }],
  [`${MORE}ecdsa-sha512`, { kind: "P-256", hash: "SHA-512" }],
]);
const DIGESTS: ReadonlyMap<string | null, SignatureHash> = new Map([
  ["http://www.w3.org/2001/04/xmlenc#sha256", "SHA-256"],
  ["http://www.w3.org/2001/04/xmlenc#sha512", "SHA-512"],
]);
const MAX_PREFIXES = 32;

/** Null where the assertion is not signed. Throws XmlRefused and AlgorithmRefused. */
export function signatureOf(assertion: XmlElement): AssertionSignature | null {
  const isSignature = (one: XmlElement) => isNamed(one, DSIG, "Signature");
  const count = countIn(assertion, isSignature);
  if (count === 0) return null;
  const element = elementsIn(assertion).find(isSignature);
  if (count > 1 || element === undefined)
    throw new XmlRefused("the assertion has another signature than one of its own");
  const [signedInfo, signatureValue] = signedParts(element);
  const [canonicalization, method, reference] = partsOf(signedInfo, [
    "CanonicalizationMethod",
    "SignatureMethod",
    "Reference",
  ]);
  return {
    element,
    signedInfo,
    method: methodOf(method),
    value: bytesOf(signatureValue),
    ...referenceOf(reference, assertion, exclusive(canonicalization)),
  };
}

/** KeyInfo says nothing: only the connection's keys count. */
const signedParts = (signature: XmlElement) =>
  elementsIn(signature).length > 2
    ? partsOf(signature, ["SignedInfo", "SignatureValue", "KeyInfo"])
    : partsOf(signature, ["SignedInfo", "SignatureValue"]);

/** The elements in it, which are these, each once and in this order. */
function partsOf<const Names extends readonly string[]>(element: XmlElement, names: Names): Parts<Names> {
  const parts = elementsIn(element);
  const isAsExpected = parts.length === names.length && parts.every((one, i) => isNamed(one, DSIG, names[i] ?? ""));
  if (!isAsExpected) throw new XmlRefused(`${element.local} does not have just ${names.join(", ")}`);
  return parts as Parts<Names>;
}

type Parts<Names extends readonly string[]> = { -readonly [Index in keyof Names]: XmlElement };

function referenceOf(reference: XmlElement, assertion: XmlElement, signedInfo: ReadonlySet<string>) {
  const id = attributeOf(assertion, "ID") ?? "";
  if (id === "" || attributeOf(reference, "URI") !== `#${id}`) {
    throw new XmlRefused("the signature is not that of the assertion it is in");
  }
  const [transforms, method, value] = partsOf(reference, ["Transforms", "DigestMethod", "DigestValue"]);
  const [enveloped, canonicalization] = partsOf(transforms, ["Transform", "Transform"]);
  if (attributeOf(enveloped, "Algorithm") !== ENVELOPED || elementsIn(enveloped).length > 0) {
    throw new AlgorithmRefused(nameIn(enveloped));
  }
  const hash = DIGESTS.get(attributeOf(method, "Algorithm"));
  if (hash === undefined || elementsIn(method).length > 0) throw new AlgorithmRefused(nameIn(method));
  const inclusive = { signedInfo, assertion: exclusive(canonicalization) };
  return { inclusive, digest: { hash, value: bytesOf(value) } };
}

function methodOf(element: XmlElement): SignatureMethod {
  const method = METHODS.get(attributeOf(element, "Algorithm"));
  if (method === undefined || elementsIn(element).length > 0) throw new AlgorithmRefused(nameIn(element));
  return method;
}

/** The prefixes of exclusive canonicalization. */
function exclusive(element: XmlElement): ReadonlySet<string> {
  const [list, ...others] = elementsIn(element);
  const isList = list === undefined || (isNamed(list, EXCLUSIVE, "InclusiveNamespaces") && textOf(list) !== null);
  if (attributeOf(element, "Algorithm") !== EXCLUSIVE || others.length > 0 || !isList) {
    throw new AlgorithmRefused(nameIn(element));
  }
  const prefixes = (list && attributeOf(list, "PrefixList"))?.split(/[\t\n\r ]+/).filter((one) => one !== "") ?? [];
  if (prefixes.length > MAX_PREFIXES) throw new XmlRefused("InclusiveNamespaces has too many prefixes");
  return new Set(prefixes.map((one) => (one === "#default" ? "" : one)));
}

const nameIn = (element: XmlElement): string => (attributeOf(element, "Algorithm") ?? "none").slice(0, 100);

function bytesOf(element: XmlElement): Uint8Array<ArrayBuffer> {
  const bytes = strictBase64(requiredText(element));
  if (bytes === null) throw new XmlRefused(`${element.local} is not base64`);
  return bytes;
}
