/** Signs what stands in a response, as an identity provider does. */
import { fromBase64, toBase64, utf8 } from "../../../src/base/crypto/encoding";
import { canonicalBytes } from "../../../src/sign-on/saml/canonical";
import { parseXml } from "../../../src/sign-on/saml/parse";
import { elementsIn, type XmlElement } from "../../../src/sign-on/saml/xml";
import type { Signer } from "./keys";

const DSIG = "http://www.w3.org/2000/09/xmldsig#";
const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const ENC = "http://www.w3.org/2001/04/xmlenc#";

export interface SigningWay {
  /** Of the elements of the signature; none where it is empty. */
  prefix?: string;
  /** The PrefixList of InclusiveNamespaces, which is left out without it. */
  inclusive?: string;
  hash?: "SHA-256" | "SHA-512" | "SHA-1";
  digest?: "SHA-256" | "SHA-512" | "SHA-1";
  keyInfo?: string;
  /** Changes the text of SignedInfo before it is signed. */
  change?: (signedInfo: string) => string;
}

export const byId = (root: XmlElement, id: string): XmlElement | null =>
  root.attributes.some(({ local, value }) => local === "ID" && value === id)
    ? root
    : (elementsIn(root)
        .map((child) => byId(child, id))
        .find((found) => found !== null) ?? null);

const imported = ({ kind, privateKey }: Signer, hash: string) =>
  crypto.subtle.importKey(
    "pkcs8",
    fromBase64(privateKey),
    kind === "RSA" ? { name: "RSASSA-PKCS1-v1_5", hash } : { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["sign"],
  );

export async function signBytes(signer: Signer, hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = signer.kind === "RSA" ? { name: "RSASSA-PKCS1-v1_5" } : { name: "ECDSA", hash };
  return toBase64(new Uint8Array(await crypto.subtle.sign(algorithm, await imported(signer, hash), bytes)));
}

/** The document, whose `{signature}` is replaced by one of the element with this ID. */
export async function withSignature(xml: string, id: string, signer: Signer, way: SigningWay = {}): Promise<string> {
  const { prefix = "ds", inclusive, hash = "SHA-256", digest = "SHA-256", keyInfo = "", change = (text) => text } = way;
  const element = byId(parseXml(utf8(xml.replace("{signature}", ""))), id);
  if (element === null) throw new Error(`there is no element ${id}`);
  const list = new Set(inclusive?.split(" ").map((one) => (one === "#default" ? "" : one)));
  const bytes = canonicalBytes(element, { inclusive: list, without: null });
  const value = toBase64(new Uint8Array(await crypto.subtle.digest(digest, bytes)));
  const p = prefix === "" ? "" : `${prefix}:`;
  const declared = ` xmlns${prefix === "" ? "" : `:${prefix}`}="${DSIG}"`;
  const method = methodOf(signer, hash);
  const canonicalization =
    inclusive === undefined
      ? ""
      : `<ec:InclusiveNamespaces xmlns:ec="${EXCLUSIVE}" PrefixList="${inclusive}"></ec:InclusiveNamespaces>`;
  const signedInfo = change(
    `<${p}SignedInfo><${p}CanonicalizationMethod Algorithm="${EXCLUSIVE}"></${p}CanonicalizationMethod>` +
      `<${p}SignatureMethod Algorithm="${method}"></${p}SignatureMethod><${p}Reference URI="#${id}"><${p}Transforms>` +
      `<${p}Transform Algorithm="${DSIG}enveloped-signature"></${p}Transform>` +
      `<${p}Transform Algorithm="${EXCLUSIVE}">${canonicalization}</${p}Transform></${p}Transforms>` +
      `<${p}DigestMethod Algorithm="${digestOf(digest)}"></${p}DigestMethod>` +
      `<${p}DigestValue>${value}</${p}DigestValue></${p}Reference></${p}SignedInfo>`,
  );
  const signed = signedInfo.replace(`<${p}SignedInfo`, `<${p}SignedInfo${declared}`);
  const signature = await signBytes(signer, hash, utf8(signed));
  const inside = `${signedInfo}<${p}SignatureValue>${signature}</${p}SignatureValue>${keyInfo}`;
  return xml.replace("{signature}", `<${p}Signature${declared}>${inside}</${p}Signature>`);
}

function methodOf({ kind }: Signer, hash: string): string {
  const digits = hash.replace("SHA-", "");
  if (hash === "SHA-1") return `${DSIG}rsa-sha1`;
  return `${MORE}${kind === "RSA" ? "rsa" : "ecdsa"}-sha${digits}`;
}

const digestOf = (hash: string): string => (hash === "SHA-1" ? `${DSIG}sha1` : `${ENC}sha${hash.replace("SHA-", "")}`);
