/** Which signatures of an assertion are taken. What others let pass is in saml-attacks. */
import { describe, expect, test } from "vitest";
import { ATTACKER, IDP, P256 } from "../support/saml/keys";
import { refusalOf } from "../support/saml/reason";
import { signedXml } from "../support/saml/responses";
import type { SigningWay } from "../support/saml/signing";

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";
const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const OTHER = "xml: the signature is not that of the assertion it is in";
const replaced = (from: string | RegExp, to: string) => (xml: string) => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`nothing is changed: ${from}`);
  return changed;
};

describe("what the provider itself has signed is refused with", () => {
  const transform = (algorithm: string) => `<ds:Transform Algorithm="${algorithm}"></ds:Transform>`;
  const enveloped = transform(`${DSIG}enveloped-signature`);
  const lists = (prefixes: number) =>
    replaced(/PrefixList="xs"/, `PrefixList="${Array.from({ length: prefixes }, (_, i) => `p${i}`).join(" ")}"`);

  test.each<[string, (signedInfo: string) => string, string | null]>([
    ["nothing changed", (text) => text, null],
    ["a Reference to nothing", replaced(/URI="[^"]*"/, 'URI=""'), OTHER],
    ["a Reference without URI", replaced(/ URI="[^"]*"/, ""), OTHER],
    ["a Reference to the response", replaced(/URI="[^"]*"/, 'URI="#_response"'), OTHER],
    ["a Reference by XPointer", replaced(/URI="#(\w+)"/, "URI=\"#xpointer(id('$1'))\""), OTHER],
    [
      "two References",
      replaced(/(<ds:Reference.*<\/ds:Reference>)/, "$1$1"),
      "xml: SignedInfo does not have just CanonicalizationMethod, SignatureMethod, Reference",
    ],
    [
      "a Reference without transforms",
      replaced(/<ds:Transforms>.*<\/ds:Transforms>/, ""),
      "xml: Reference does not have just Transforms, DigestMethod, DigestValue",
    ],
    ["one transform", replaced(enveloped, ""), "xml: Transforms does not have just Transform, Transform"],
    [
      "three transforms",
      replaced(enveloped, enveloped + enveloped),
      "xml: Transforms does not have just Transform, Transform",
    ],
    [
      "transforms in another order",
      replaced(/(<ds:Transform .*<\/ds:Transform>)(<ds:Transform .*<\/ds:Transform>)/, "$2$1"),
      "algorithm",
    ],
    [
      "a transform by XPath",
      replaced(`${DSIG}enveloped-signature`, "http://www.w3.org/TR/1999/REC-xpath-19991116"),
      "algorithm",
    ],
    [
      "a transform by XSLT",
      replaced(`Algorithm="${EXCLUSIVE}"><ec`, 'Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><ec'),
      "algorithm",
    ],
    ["inclusive canonicalization", replaced(EXCLUSIVE, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"), "algorithm"],
    ["canonicalization with comments", replaced(EXCLUSIVE, `${EXCLUSIVE}WithComments`), "algorithm"],
    ["an algorithm of another namespace", replaced(`Algorithm="${MORE}`, `xml:Algorithm="${MORE}`), "algorithm"],
    [
      "a length of its output",
      replaced("</ds:SignatureMethod>", "<ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>"),
      "algorithm",
    ],
    ["HMAC", replaced(/Algorithm="[^"]*rsa-sha256"/, `Algorithm="${DSIG}hmac-sha1"`), "algorithm"],
    ["a signature by SHA-1", replaced(/Algorithm="[^"]*rsa-sha256"/, `Algorithm="${DSIG}rsa-sha1"`), "algorithm"],
    ["no algorithm", replaced(/ Algorithm="[^"]*rsa-sha256"/, ""), "algorithm"],
    ["32 prefixes", lists(32), "bad_signature"],
    ["33 prefixes", lists(33), "xml: InclusiveNamespaces has too many prefixes"],
    ["two lists of prefixes", replaced(/(<ec:.*<\/ec:InclusiveNamespaces>)/, "$1$1"), "algorithm"],
    [
      "DigestValue that is no base64",
      replaced("<ds:DigestValue>", "<ds:DigestValue>!"),
      "xml: DigestValue is not base64",
    ],
    [
      "no DigestValue",
      replaced(/<ds:DigestValue>.*<\/ds:DigestValue>/, "<ds:DigestValue></ds:DigestValue>"),
      "xml: DigestValue is not base64",
    ],
  ])("%s", async (_, change, reason) => {
    expect(await refusalOf(await signedXml({}, { signing: { change } }))).toBe(reason);
  });

  test("a digest by SHA-1", async () => {
    const way: SigningWay = { digest: "SHA-1" };
    expect(await refusalOf(await signedXml({}, { signing: way }))).toBe("algorithm");
    expect(await refusalOf(await signedXml({}, { signing: { hash: "SHA-1" } }))).toBe("algorithm");
  });
});

describe("the keys", () => {
  test("are those of the connection alone, whatever KeyInfo says", async () => {
    const certificate = `<ds:X509Certificate>${ATTACKER.certificate}</ds:X509Certificate>`;
    const keyInfo = `<ds:KeyInfo><ds:X509Data>${certificate}</ds:X509Data></ds:KeyInfo>`;
    const xml = await signedXml({}, { signer: ATTACKER, signing: { keyInfo } });
    expect(await refusalOf(xml)).toBe("bad_signature");
    expect(await refusalOf(xml, { certificates: [ATTACKER.certificate] })).toBeNull();
    const itsOwn = await signedXml({}, { signing: { keyInfo } });
    expect(await refusalOf(itsOwn)).toBeNull();
  });

  test("may be two, and either signs", async () => {
    const certificates = [IDP.certificate, P256.certificate];
    for (const signer of [IDP, P256]) {
      expect(await refusalOf(await signedXml({}, { signer }), { certificates })).toBeNull();
    }
    expect(await refusalOf(await signedXml({}, { signer: ATTACKER }), { certificates })).toBe("bad_signature");
  });

  test("sign by their own algorithm", async () => {
    const change = replaced("rsa-sha256", "ecdsa-sha256");
    const xml = await signedXml({}, { signing: { change } });
    expect(await refusalOf(xml, { certificates: [IDP.certificate, P256.certificate] })).toBe("bad_signature");
  });
});
