/** Whom a response by SAML speaks of, and what it says of them. */
import { describe, expect, test } from "vitest";
import { readResponse } from "../../src/sign-on/saml/response";
import { EXPECTED, FACTS, NOW_MS } from "../support/saml/facts";
import { refusalOf } from "../support/saml/reason";
import { encoded, signedXml } from "../support/saml/responses";

const NAME_ID = /<saml2:NameID[^>]*>.*<\/saml2:NameID>/;
const STATEMENT = /<saml2:AttributeStatement>.*<\/saml2:AttributeStatement>/;
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const MISSING = "no_subject";

const personIn = async (change: (xml: string) => string) =>
  readResponse(encoded(await signedXml({}, { change })), EXPECTED, NOW_MS);
const nameId = (inside: string) => (xml: string) => xml.replace(NAME_ID, inside);
const named = (text: string) => nameId(`<saml2:NameID>${text}</saml2:NameID>`);

describe("the NameID", () => {
  test.each<[string, (xml: string) => string, string | null]>([
    ["missing", nameId(""), MISSING],
    ["empty", nameId("<saml2:NameID/>"), MISSING],
    ["of blanks", named(" \n"), MISSING],
    ["of 255 characters", named("a".repeat(255)), null],
    ["of 256 characters", named("a".repeat(256)), MISSING],
    ["with a line break", named("ada&#10;"), MISSING],
    ["with an element", named("ada<saml2:NameID/>"), MISSING],
    ["with an element before the text", named("<x/>ada"), MISSING],
    ["of another namespace", nameId("<NameID>ada</NameID>"), MISSING],
    [
      "there twice",
      nameId("<saml2:NameID>a</saml2:NameID><saml2:NameID>b</saml2:NameID>"),
      "xml: it has two elements NameID",
    ],
    ["transient", nameId(`<saml2:NameID Format="${TRANSIENT}">a</saml2:NameID>`), MISSING],
    ["encrypted", nameId("<saml2:EncryptedID/>"), "encrypted"],
  ])("%s", async (_, change, reason) => {
    expect(await refusalOf(await signedXml({}, { change }))).toBe(reason);
  });

  test("is read as it is written, with its references", async () => {
    expect((await personIn(named("a&amp;b&#x41; &lt;!----&gt;"))).subject).toBe("a&bA <!---->");
  });

  test("of the confirmation is another's", async () => {
    const change = (xml: string) =>
      xml.replace("<saml2:SubjectConfirmationData", "<saml2:NameID>bob</saml2:NameID><saml2:SubjectConfirmationData");
    expect((await personIn(change)).subject).toBe(FACTS.subject);
  });
});

describe("attributes", () => {
  const attributesIn = async (inside: string) =>
    (await personIn((xml) => xml.replace(STATEMENT, `<saml2:AttributeStatement>${inside}</saml2:AttributeStatement>`)))
      .attributes;
  const attribute = (name: string, values: string[], more = "") =>
    `<saml2:Attribute Name="${name}"${more}>` +
    `${values.map((one) => `<saml2:AttributeValue>${one}</saml2:AttributeValue>`).join("")}</saml2:Attribute>`;

  test("are read by Name, and by FriendlyName where that is no other's name", async () => {
    const mail = attribute("urn:oid:1", ["a@acme.example"], ' FriendlyName="mail"');
    expect(await attributesIn(mail)).toEqual({ "urn:oid:1": ["a@acme.example"], mail: ["a@acme.example"] });
    const taken = attribute("urn:oid:2", ["Evil"], ' FriendlyName="name"') + attribute("name", ["Ada"]);
    expect(await attributesIn(taken)).toEqual({ "urn:oid:2": ["Evil"], name: ["Ada"] });
    const twice = attribute("a", ["1"], ' FriendlyName="x"') + attribute("b", ["2"], ' FriendlyName="x"');
    expect(await attributesIn(twice)).toEqual({ a: ["1"], b: ["2"], x: ["1"] });
  });

  test("of the same name are joined, and none of them is a member of every object", async () => {
    const twice = attribute("g", ["1", "2"]) + attribute("g", ["3"]) + attribute("__proto__", ["4"]);
    const attributes = await attributesIn(twice);
    expect(Object.entries(attributes)).toEqual([
      ["g", ["1", "2", "3"]],
      ["__proto__", ["4"]],
    ]);
    expect(attributes["constructor"]).toBeUndefined();
  });

  test("have no value that is empty, too long or more than text", async () => {
    const values = ["", "<x>in</x>", "a<x/>b", "a".repeat(2048), "a".repeat(2049), " b "];
    expect(await attributesIn(attribute("v", values))).toEqual({ v: ["a".repeat(2048), " b "] });
  });

  test.each<[string, string, string | null]>([
    ["200 of them", Array.from({ length: 200 }, (_, i) => attribute(`a${i}`, [])).join(""), null],
    [
      "201 of them",
      Array.from({ length: 201 }, (_, i) => attribute(`a${i}`, [])).join(""),
      "xml: it has more than 200 attributes",
    ],
    ["a name of 255 characters", attribute("n".repeat(255), []), null],
    [
      "a name of 256 characters",
      attribute("n".repeat(256), []),
      "xml: the Name of an attribute is missing, or longer than 255 characters",
    ],
    ["no name", attribute("", []), "xml: the Name of an attribute is missing, or longer than 255 characters"],
    ["one of another namespace", "<Attribute/>", "xml: AttributeStatement has an element Attribute"],
    ["one that is encrypted", "<saml2:EncryptedAttribute/>", "encrypted"],
  ])("with %s", async (_, inside, reason) => {
    const change = (xml: string) =>
      xml.replace(STATEMENT, `<saml2:AttributeStatement>${inside}</saml2:AttributeStatement>`);
    expect(await refusalOf(await signedXml({}, { change }))).toBe(reason);
  });

  test("need not be there, and their names are read to the letter", async () => {
    expect((await personIn((xml) => xml.replace(STATEMENT, ""))).attributes).toEqual({});
    expect(await attributesIn(attribute("Email", ["a"]) + attribute("email", ["b"]))).toEqual({
      Email: ["a"],
      email: ["b"],
    });
  });
});

test("of several sign-ins the first says how, and the earliest end counts", async () => {
  const at = (seconds: number) => new Date(NOW_MS + seconds * 1000).toISOString();
  const second = `<saml2:AuthnStatement AuthnInstant="${at(-5)}" SessionNotOnOrAfter="${at(100)}"/>`;
  const facts = { sessionNotOnOrAfterMs: NOW_MS + 200_000, authnInstantMs: NOW_MS - 9_000 };
  const change = (xml: string) => xml.replace("</saml2:AuthnStatement>", `</saml2:AuthnStatement>${second}`);
  const xml = await signedXml(facts, { change });
  expect(await readResponse(encoded(xml), EXPECTED, NOW_MS)).toMatchObject({
    sessionIndex: FACTS.sessionIndex,
    authnInstantMs: NOW_MS - 9_000,
    sessionNotOnOrAfterMs: NOW_MS + 100_000,
    authnContext: FACTS.authnContext,
  });
});

test.each([
  ["its end", {}, 360_000],
  ["ten minutes after it was made", { end: 3_600_000 }, 660_000],
])("a response could be sent again until %s, and a minute", async (_, { end }: { end?: number }, ms) => {
  const to = new Date(NOW_MS + (end ?? 300_000)).toISOString();
  const { expiresAtMs } = await personIn((xml) => xml.replaceAll(/NotOnOrAfter="[^"]*"/g, `NotOnOrAfter="${to}"`));
  expect(expiresAtMs).toBe(NOW_MS + ms);
});
