/** Published attacks on verifiers of SAML: whoever has one signed response of the provider makes it speak of others. */
import { beforeAll, describe, expect, test } from "vitest";
import { readResponse } from "../../src/sign-on/saml/response";
import { attacked, EVIL, element, type Parts, partsOf, without } from "../support/saml/attacked";
import { EXPECTED, FACTS, NOW_MS } from "../support/saml/facts";
import { IDP } from "../support/saml/keys";
import { refusalOf } from "../support/saml/reason";
import { encoded, signedXml } from "../support/saml/responses";
import { withSignature } from "../support/saml/signing";
import { copyOf, elementsOf, first, remove, setAttribute, type Tree, written } from "../support/saml/tree";

let xml: string;

beforeAll(async () => {
  xml = await signedXml();
});

describe("signatures that are not the assertion's own", () => {
  test.each<[string, (parts: Parts) => Tree | undefined, string]>([
    ["none", ({ response, signature }) => without(response, signature), "not_signed"],
    [
      "of the response alone",
      ({ response, signature }) => {
        remove(response, signature);
        response.children.unshift(signature);
        return response;
      },
      "not_signed",
    ],
    [
      "twice",
      ({ assertion, signature }) => void assertion.children.push(copyOf(signature)),
      "xml: the assertion has another signature than one of its own",
    ],
    [
      "deeper in it",
      ({ assertion, signature }) => {
        remove(assertion, signature);
        first(assertion, "Subject").children.push(signature);
        return undefined;
      },
      "xml: the assertion has another signature than one of its own",
    ],
    [
      "with a second SignedInfo",
      ({ signature }) => void signature.children.unshift(copyOf(first(signature, "SignedInfo"))),
      "xml: Signature does not have just SignedInfo, SignatureValue, KeyInfo",
    ],
    [
      "with a second SignedInfo behind it",
      ({ signature }) => void signature.children.push(copyOf(first(signature, "SignedInfo"))),
      "xml: Signature does not have just SignedInfo, SignatureValue, KeyInfo",
    ],
    [
      "with SignedInfo in an Object",
      ({ signature }) => void signature.children.push(element("ds:Object", copyOf(first(signature, "SignedInfo")))),
      "xml: Signature does not have just SignedInfo, SignatureValue, KeyInfo",
    ],
    [
      "with an element in DigestValue",
      ({ signature }) => void first(signature, "DigestValue").children.push(element("x")),
      "xml: DigestValue has more than text",
    ],
    [
      "with an element in SignatureValue",
      ({ signature }) => void first(signature, "SignatureValue").children.push(element("x")),
      "xml: SignatureValue has more than text",
    ],
  ])("%s", async (_, attack, reason) => {
    expect(await attacked(xml, attack)).toBe(reason);
  });

  test("of the response by the provider, and of the assertion by nobody", async () => {
    const unsigned = xml
      .replace(/<ds:Signature.*<\/ds:Signature>/, "")
      .replace("<saml2p:Status>", "{signature}<saml2p:Status>");
    expect(await refusalOf(await withSignature(unsigned, FACTS.responseId, IDP))).toBe("not_signed");
  });
});

describe("what parsers read differently", () => {
  const subject = FACTS.subject;
  test.each<[string, (from: string) => string, string]>([
    [
      "a comment in the NameID",
      (from) => from.replace(subject, `${subject}<!-- -->.evil.example`),
      "xml: it has a DOCTYPE, a comment or CDATA",
    ],
    [
      "CDATA in the NameID",
      (from) => from.replace(subject, `<![CDATA[${subject}]]>`),
      "xml: it has a DOCTYPE, a comment or CDATA",
    ],
    [
      "an instruction in the NameID",
      (from) => from.replace(subject, `ada<?x?>@acme.example`),
      "xml: it has a processing instruction",
    ],
    [
      "an entity for the NameID",
      (from) => `<!DOCTYPE r [<!ENTITY e "${EVIL}">]>${from.replace(/^<\?.*?\?>/, "").replace(subject, "&e;")}`,
      "xml: it has a DOCTYPE, a comment or CDATA",
    ],
    [
      "an attribute by a DOCTYPE",
      (from) => `<!DOCTYPE r [<!ATTLIST r ID ID "x">]>${from.replace(/^<\?.*?\?>/, "")}`,
      "xml: it has a DOCTYPE, a comment or CDATA",
    ],
    [
      "a comment in DigestValue",
      (from) => from.replace("<ds:DigestValue>", "<ds:DigestValue><!--x-->"),
      "xml: it has a DOCTYPE, a comment or CDATA",
    ],
    [
      "another ID by a namespace",
      (from) => from.replace('<saml2:Assertion ID="_assertion"', '<saml2:Assertion saml2:ID="_assertion" ID="_evil"'),
      "xml: the signature is not that of the assertion it is in",
    ],
    [
      "another attribute Id",
      (from) => from.replace('<saml2:Assertion ID="_assertion"', '<saml2:Assertion Id="_assertion" ID="_evil"'),
      "xml: the signature is not that of the assertion it is in",
    ],
    [
      "an attribute twice by a second prefix",
      (from) => from.replace("<saml2:NameID ", '<saml2:NameID xmlns:p="urn:p" xmlns:q="urn:p" p:a="1" q:a="2" '),
      "xml: an attribute is there twice",
    ],
    [
      "another namespace of the assertion's prefix",
      (from) => from.replace("<saml2:NameID ", '<saml2:NameID xmlns:saml2="urn:evil" '),
      "bad_signature",
    ],
    [
      "another default namespace",
      (from) =>
        from.replace(
          "<saml2:Subject>",
          '<saml2:Subject xmlns="urn:oasis:names:tc:SAML:2.0:assertion"><NameID>x</NameID>',
        ),
      "bad_signature",
    ],
    ["a text around the subject", (from) => from.replace("<saml2:Subject>", "<saml2:Subject> "), "bad_signature"],
  ])("%s", async (_, change, reason) => {
    expect(await refusalOf(change(xml))).toBe(reason);
  });

  test("namespaces that nobody uses change nothing, wherever they are declared", async () => {
    const changed = xml
      .replace("<saml2p:Response ", '<saml2p:Response xmlns="urn:evil" xmlns:evil="urn:evil" ')
      .replace("<saml2:NameID ", '<saml2:NameID xmlns:evil="urn:oasis:names:tc:SAML:2.0:assertion" ');
    const person = await readResponse(encoded(changed), EXPECTED, NOW_MS);
    expect(person.subject).toBe(FACTS.subject);
  });

  test("a prefix of InclusiveNamespaces counts, though nobody uses it", async () => {
    const changed = xml.replace('xmlns:xs="http://www.w3.org/2001/XMLSchema"', 'xmlns:xs="urn:evil"');
    expect(changed).not.toBe(xml);
    expect(await refusalOf(changed)).toBe("bad_signature");
  });
});

test("each text, attribute and name of the signed assertion counts", async () => {
  const count = elementsOf(partsOf(xml).assertion).length;
  for (let index = 0; index < count; index += 1) {
    for (const change of CHANGES) {
      const { response, assertion, signature } = partsOf(xml);
      const one = elementsOf(assertion)[index];
      const isRead = one && !elementsOf(signature).includes(one);
      if (!isRead || !change(one)) continue;
      const reason = await refusalOf(written(response));
      expect(reason, written(one)).toMatch(/^(bad_signature|xml|issuer|not_signed|assertion_missing)/);
    }
  }
});

const CHANGES: ((one: Tree) => boolean)[] = [
  (one) => one.children.push("x") > 0,
  (one) => one.children.unshift({ name: "x", attributes: [], children: [] }) > 0,
  (one) => {
    setAttribute(one, "x", "");
    return true;
  },
  (one) => {
    const [attribute] = one.attributes;
    if (attribute) attribute[1] += "x";
    return attribute !== undefined;
  },
  (one) => {
    one.name = `${one.name}x`;
    return true;
  },
];
