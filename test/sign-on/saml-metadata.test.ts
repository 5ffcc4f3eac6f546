/** What is read of a provider's metadata and certificates, what ours says, and the request that is sent. */
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64, utf8 } from "../../src/base/crypto/encoding";
import { authnRequestUrl } from "../../src/sign-on/saml/authn-request";
import { CertificateRefused, readCertificate } from "../../src/sign-on/saml/certificate";
import { MetadataRefused, readIdpMetadata, spMetadata } from "../../src/sign-on/saml/metadata";
import { parseXml } from "../../src/sign-on/saml/parse";
import { attributeOf, elementsIn, requiredText } from "../../src/sign-on/saml/xml";
import { FACTS, NOW_MS } from "../support/saml/facts";
import { ATTACKER, IDP, P256, REFUSED_CERTIFICATES } from "../support/saml/keys";

const MD = "urn:oasis:names:tc:SAML:2.0:metadata";
const BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-";
const SSO = "https://idp.example/sso?idpid=1&x=%2F";

const key = (certificate: string, use = "signing") =>
  `<KeyDescriptor${use === "" ? "" : ` use="${use}"`}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">` +
  `<ds:X509Data><ds:X509Certificate>\n${certificate.slice(0, 64)}\n${certificate.slice(64)}\n</ds:X509Certificate>` +
  "</ds:X509Data></ds:KeyInfo></KeyDescriptor>";
const service = (binding: string, location: string) =>
  `<SingleSignOnService Binding="${BINDING}${binding}" Location="${location}"/>`;
const descriptor = (inside: string, protocol = "urn:oasis:names:tc:SAML:2.0:protocol") =>
  `<IDPSSODescriptor protocolSupportEnumeration="${protocol}">${inside}</IDPSSODescriptor>`;
const entity = (inside: string, entityId = FACTS.idpEntityId) =>
  `<EntityDescriptor xmlns="${MD}" entityID="${entityId}">${inside}</EntityDescriptor>`;
const SERVICES = service("POST", "https://idp.example/post") + service("Redirect", SSO.replace("&", "&amp;"));
const GOOD = descriptor(key(IDP.certificate) + SERVICES);

function refusalOf(xml: string): string | null {
  try {
    readIdpMetadata(xml);
    return null;
  } catch (error) {
    if (error instanceof MetadataRefused) return error.message;
    throw error;
  }
}

describe("a provider's metadata", () => {
  const read = { entityId: FACTS.idpEntityId, ssoUrl: SSO, certificates: [IDP.certificate] };
  const NONE = "Paste the metadata of an identity provider for SAML 2.0.";
  const SEVERAL = "Paste the metadata of one identity provider, not of several.";
  const NO_CERTIFICATE = "The metadata has no certificate with which answers are signed.";
  const THREE = "The metadata has 3 certificates for signing, and two are taken. Enter those that sign now.";
  const NO_SERVICE = "The metadata has no SingleSignOnService with the binding HTTP-Redirect. Turn it on there.";
  const certificates = (...all: string[]) => entity(descriptor(all.join("") + SERVICES));
  const [idp, p256, attacker] = [IDP, P256, ATTACKER].map(({ certificate }) => key(certificate));

  test.each([
    ["as it is written", entity(GOOD)],
    [
      "with a declaration, comments and other roles",
      `\n<?xml version="1.0"?><!-- Shibboleth -->${entity(`<!-- a --><SPSSODescriptor/>${GOOD}<Organization/>`)}`,
    ],
    [
      "in a list of entities",
      `<EntitiesDescriptor xmlns="${MD}">${entity("<SPSSODescriptor/>", "sp")}${entity(GOOD)}</EntitiesDescriptor>`,
    ],
    ["with a key for encryption", certificates(idp ?? "", key(P256.certificate, "encryption"))],
    ["with a key for all", certificates(key(IDP.certificate, ""))],
    ["with a certificate twice", certificates(idp ?? "", idp ?? "")],
  ])("is read %s", (_, xml) => {
    expect(readIdpMetadata(xml)).toEqual(read);
  });

  test("has two certificates while a key changes", () => {
    const two = readIdpMetadata(certificates(idp ?? "", p256 ?? ""));
    expect(two.certificates).toEqual([IDP.certificate, P256.certificate]);
  });

  test.each<[string, string, string]>([
    ["nothing", "", "The metadata cannot be read: it ends too early."],
    ["a DOCTYPE", "<!DOCTYPE a><a/>", "The metadata cannot be read: it has a DOCTYPE, a comment or CDATA."],
    ["129 KiB", `<a>${"b".repeat(129 * 1024)}</a>`, "The metadata cannot be read: it is larger than 128 KiB."],
    ["a document of something else", "<a/>", NONE],
    ["a service provider", entity("<SPSSODescriptor/>"), NONE],
    ["SAML 1.1", entity(descriptor(key(IDP.certificate) + SERVICES, "urn:oasis:names:tc:SAML:1.1:protocol")), NONE],
    [
      "two providers",
      `<EntitiesDescriptor xmlns="${MD}">${entity(GOOD)}${entity(GOOD, "b")}</EntitiesDescriptor>`,
      SEVERAL,
    ],
    ["two roles of a provider", entity(GOOD + GOOD), SEVERAL],
    ["no entityID", entity(GOOD, ""), "The metadata has no entityID."],
    ["no certificate", certificates(), NO_CERTIFICATE],
    ["a certificate for encryption alone", certificates(key(IDP.certificate, "encryption")), NO_CERTIFICATE],
    ["three certificates", certificates(idp ?? "", p256 ?? "", attacker ?? ""), THREE],
    ["a certificate that is no base64", certificates(key("!")), "A certificate in the metadata is not base64."],
    ["POST alone", entity(descriptor(key(IDP.certificate) + service("POST", SSO.replace("&", "&amp;")))), NO_SERVICE],
  ])("is not read: %s", (_, xml, why) => {
    expect(refusalOf(xml)).toBe(why);
  });
});

describe("a certificate", () => {
  const pem = (base64: string) =>
    `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`;
  const refused = async (text: string): Promise<string | null> => {
    try {
      await readCertificate(text);
      return null;
    } catch (error) {
      if (error instanceof CertificateRefused) return error.message;
      throw error;
    }
  };
  const FORM = "Enter the certificate in PEM, or in base64.";
  const NO_CERTIFICATE = "This is no X.509 certificate.";
  const OTHER_KEY = "The certificate's key is neither RSA nor of the curve P-256.";

  test("is read in PEM and in base64, with its key and its end", async () => {
    for (const text of [IDP.certificate, pem(IDP.certificate), ` ${pem(IDP.certificate).replaceAll("\n", "\r\n")}`]) {
      const { der, notAfterMs, key: read } = await readCertificate(text);
      expect([der, new Date(notAfterMs).toISOString(), read.kind]).toEqual([
        IDP.certificate,
        "2036-11-27T08:31:11.000Z",
        "RSA",
      ]);
    }
    expect((await readCertificate(P256.certificate)).key.kind).toBe("P-256");
  });

  test.each<[string, string, string]>([
    ["nothing", "", FORM],
    ["other text", "a certificate!", FORM],
    ["a key in PEM", pem(IDP.privateKey).replaceAll("CERTIFICATE", "PRIVATE KEY"), FORM],
    ["two in one", pem(IDP.certificate) + pem(P256.certificate), FORM],
    ["base64 of a key", IDP.privateKey, NO_CERTIFICATE],
    ["base64 of something else", "AAAA", NO_CERTIFICATE],
    ["a certificate and more", toBase64(Uint8Array.of(...fromBase64(IDP.certificate), 0, 0, 0)), NO_CERTIFICATE],
    ["more than 16 KiB", "A".repeat(16 * 1024 + 1), "The certificate is longer than 16 KiB."],
    [
      "RSA of 2,047 bits",
      REFUSED_CERTIFICATES.rsa2047,
      "The certificate's RSA key has 2047 bits, and 2,048 to 8,192 are taken.",
    ],
    ["the curve P-384", REFUSED_CERTIFICATES.p384, OTHER_KEY],
    ["Ed25519", REFUSED_CERTIFICATES.ed25519, OTHER_KEY],
  ])("is not %s", async (_, text, why) => {
    expect(await refused(text)).toBe(why);
  });

  test("that ends anywhere, or has any other byte, is never an error of ours", async () => {
    const bytes = fromBase64(P256.certificate);
    for (let at = 0; at < bytes.length; at += 1) {
      await refused(toBase64(bytes.subarray(0, at)));
      await refused(toBase64(bytes.map((byte, i) => (i === at ? byte ^ 0xff : byte))));
    }
    expect(await refused(P256.certificate)).toBeNull();
  });
});

describe("what the provider gets", () => {
  const OURS = { entityId: FACTS.audience, acsUrl: `${FACTS.acsUrl}?a=1&b="2"` };

  test("our metadata ask for signed assertions by POST", () => {
    const root = parseXml(utf8(spMetadata(OURS)));
    const [role] = elementsIn(root);
    const [acs] = role ? elementsIn(role) : [];
    expect(role && [attributeOf(root, "entityID"), attributeOf(role, "WantAssertionsSigned")]).toEqual([
      OURS.entityId,
      "true",
    ]);
    expect(acs && [attributeOf(acs, "Location"), attributeOf(acs, "Binding")]).toEqual([OURS.acsUrl, `${BINDING}POST`]);
  });

  const request = { ssoUrl: SSO, ...OURS, requestId: "_a1", forceAuthn: false, relayState: "", issueInstantMs: NOW_MS };
  async function requested(more: object) {
    const url = new URL(await authnRequestUrl({ ...request, ...more }));
    const stream = new Blob([fromBase64(url.searchParams.get("SAMLRequest") ?? "")]).stream();
    const inflated = stream.pipeThrough(new DecompressionStream("deflate-raw"));
    return { url, root: parseXml(new Uint8Array(await new Response(inflated).arrayBuffer())) };
  }

  test("a request names us, where to answer, and what it is", async () => {
    const { url, root } = await requested({});
    expect(url.href.startsWith(`${SSO}&SAMLRequest=`)).toBe(true);
    expect(Object.fromEntries(root.attributes.map(({ local, value }) => [local, value]))).toEqual({
      ID: "_a1",
      Version: "2.0",
      IssueInstant: "2026-11-30T08:00:00.000Z",
      Destination: SSO,
      AssertionConsumerServiceURL: OURS.acsUrl,
      ProtocolBinding: `${BINDING}POST`,
    });
    expect(elementsIn(root).map(({ local }) => local)).toEqual(["Issuer", "NameIDPolicy"]);
    expect(elementsIn(root).slice(0, 1).map(requiredText)).toEqual([OURS.entityId]);
  });

  test("a request asks to sign in anew where that is wanted, and brings its state back", async () => {
    const { url, root } = await requested({ forceAuthn: true, relayState: "a&b", ssoUrl: "https://idp.example/sso#x" });
    expect(attributeOf(root, "ForceAuthn")).toBe("true");
    expect([url.searchParams.get("RelayState"), url.hash]).toEqual(["a&b", ""]);
  });
});
