/** What a response by SAML must say, each check wrong, missing and at its bound. The provider has signed them all. */
import { describe, expect, test } from "vitest";
import { EXPECTED, FACTS, NOW_MS } from "../support/saml/facts";
import { refusalOf } from "../support/saml/reason";
import { signedXml } from "../support/saml/responses";
import { iso } from "../support/saml/shapes";

const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
const AUDIENCE = `<saml2:Audience>${FACTS.audience}</saml2:Audience>`;
const OTHER = "<saml2:Audience>https://other.example</saml2:Audience>";
const RESTRICTION = `<saml2:AudienceRestriction>${AUDIENCE}</saml2:AudienceRestriction>`;
const CONFIRMATION = /<saml2:SubjectConfirmation .*<\/saml2:SubjectConfirmation>/;
const END = iso(NOW_MS + 300_000);
const at = (seconds: number): string => iso(NOW_MS + seconds * 1000);

/** A bearer's confirmation with other attributes. */
const confirmed = (more: Record<string, string | null>, method = "bearer"): string => {
  const all = { Recipient: FACTS.acsUrl, InResponseTo: FACTS.requestId, NotOnOrAfter: END, ...more };
  const written = Object.entries(all).map(([name, value]) => (value === null ? "" : ` ${name}="${value}"`));
  return (
    `<saml2:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${method}">` +
    `<saml2:SubjectConfirmationData${written.join("")}/></saml2:SubjectConfirmation>`
  );
};
const confirmation = (more: Record<string, string | null>, method?: string) => (xml: string) =>
  xml.replace(CONFIRMATION, confirmed(more, method));
const replaced = (from: string | RegExp, to: string) => (xml: string) => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`nothing is changed: ${from}`);
  return changed;
};
/** The issuer of the response, or of the assertion. */
const issuers = (which: "response" | "assertion", to: string) => (xml: string) => {
  const [before = "", first = "", between = "", second = "", after = ""] = xml.split(
    /(<saml2:Issuer .*?<\/saml2:Issuer>)/,
  );
  return which === "response" ? before + to + between + second + after : before + first + between + to + after;
};
const issuer = (text: string) =>
  `<saml2:Issuer xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion">${text}</saml2:Issuer>`;

async function judged(change: (xml: string) => string, nowMs = NOW_MS): Promise<string | null> {
  return refusalOf(await signedXml({}, { change }), {}, nowMs);
}

describe("whom a response is of and for", () => {
  test.each<[string, (xml: string) => string, string | null]>([
    ["what it should", (xml) => xml, null],
    ["another issuer of the assertion", issuers("assertion", issuer(`${FACTS.idpEntityId}/`)), "issuer"],
    ["an issuer with a blank", issuers("assertion", issuer(` ${FACTS.idpEntityId}`)), "issuer"],
    ["no issuer of the assertion", issuers("assertion", ""), "xml: an element Issuer is missing"],
    ["another issuer of the response", issuers("response", issuer("https://other.example")), "issuer"],
    ["no issuer of the response", issuers("response", ""), null],
    ["another audience", replaced(AUDIENCE, OTHER), "audience"],
    ["one of several audiences", replaced(AUDIENCE, OTHER + AUDIENCE), null],
    ["no audience", replaced(AUDIENCE, ""), "audience"],
    ["no restriction to an audience", replaced(RESTRICTION, ""), "audience"],
    [
      "a second restriction without it",
      replaced(RESTRICTION, RESTRICTION + RESTRICTION.replace(AUDIENCE, OTHER)),
      "audience",
    ],
    ["two restrictions to it", replaced(RESTRICTION, RESTRICTION + RESTRICTION), null],
    ["another destination", replaced(/Destination="[^"]*"/, 'Destination="https://other.example"'), "recipient"],
    ["an empty destination", replaced(/Destination="[^"]*"/, 'Destination=""'), "recipient"],
    ["no destination", replaced(/Destination="[^"]*"/, ""), null],
    ["another recipient", confirmation({ Recipient: `${FACTS.acsUrl}/` }), "recipient"],
    ["no recipient", confirmation({ Recipient: null }), "recipient"],
    ["another request", confirmation({ InResponseTo: "_other" }), "in_response_to"],
    ["no request in its confirmation", confirmation({ InResponseTo: null }), "in_response_to"],
    ["another request around it", replaced(/InResponseTo="[^"]*"/, 'InResponseTo="_other"'), "in_response_to"],
    ["no request around it", replaced(/InResponseTo="[^"]*"/, ""), null],
  ])("with %s", async (_, change, reason) => {
    expect(await judged(change)).toBe(reason);
  });

  test("a response that answers nothing is not taken where no request was sent", async () => {
    const xml = await signedXml({ requestId: "" });
    expect(await refusalOf(xml, { requestId: "" })).toBe("in_response_to");
  });

  test("a response that another provider's key has signed is not taken", async () => {
    expect(await refusalOf(await signedXml(), { idpEntityId: "https://other.example" })).toBe("issuer");
    expect(EXPECTED.idpEntityId).not.toBe("https://other.example");
  });
});

describe("how a response confirms and restricts", () => {
  const two = (first: object, second: object) =>
    replaced(CONFIRMATION, confirmed({ ...first }) + confirmed({ ...second }));

  test.each<[string, (xml: string) => string, string | null]>([
    ["no confirmation", replaced(CONFIRMATION, ""), "xml: the subject has no confirmation of the method bearer"],
    ["another method", confirmation({}, "sender-vouches"), "xml: the subject has no confirmation of the method bearer"],
    [
      "a confirmation without data",
      replaced(/<saml2:SubjectConfirmationData[^>]*>/, ""),
      "xml: an element SubjectConfirmationData is missing",
    ],
    [
      "a beginning of its confirmation",
      confirmation({ NotBefore: at(-60) }),
      "xml: SubjectConfirmationData has NotBefore",
    ],
    [
      "no end of its confirmation",
      confirmation({ NotOnOrAfter: null }),
      "xml: NotOnOrAfter is missing in SubjectConfirmationData",
    ],
    ["a second confirmation that is for us", two({ Recipient: "https://other.example" }, {}), null],
    ["two that are for others", two({ Recipient: "https://other.example" }, { InResponseTo: "_other" }), "recipient"],
    ["no conditions", replaced(/<saml2:Conditions.*<\/saml2:Conditions>/, ""), "xml: an element Conditions is missing"],
    [
      "conditions twice",
      replaced(/(<saml2:Conditions.*<\/saml2:Conditions>)/, "$1$1"),
      "xml: it has two elements Conditions",
    ],
    [
      "one use, and no proxy",
      replaced(RESTRICTION, `${RESTRICTION}<saml2:OneTimeUse/><saml2:ProxyRestriction/>`),
      null,
    ],
    [
      "a condition that is not known",
      replaced(RESTRICTION, `${RESTRICTION}<saml2:Weekdays/>`),
      "xml: the condition Weekdays is not known",
    ],
    [
      "a condition of another namespace",
      replaced(RESTRICTION, `${RESTRICTION}<OneTimeUse/>`),
      "xml: the condition OneTimeUse is not known",
    ],
    ["a subject twice", replaced(/(<saml2:Subject>.*<\/saml2:Subject>)/, "$1$1"), "xml: it has two elements Subject"],
    [
      "no statement of a sign-in",
      replaced(/<saml2:AuthnStatement.*<\/saml2:AuthnStatement>/, ""),
      "xml: an element AuthnStatement is missing",
    ],
    [
      "another version",
      replaced('Version="2.0" xmlns:saml2=', 'Version="2.1" xmlns:saml2='),
      "xml: the version of Assertion is not 2.0",
    ],
    [
      "another version of the response",
      replaced('Version="2.0"', 'Version="1.1"'),
      "xml: the version of Response is not 2.0",
    ],
    ["a status of failure", replaced(SUCCESS, "urn:oasis:names:tc:SAML:2.0:status:Responder"), "access_denied"],
    ["a status that begins like success", replaced(SUCCESS, `${SUCCESS}:No`), "access_denied"],
    ["no status", replaced(/<saml2p:Status>.*<\/saml2p:Status>/, ""), "xml: an element Status is missing"],
    ["two statuses", replaced(/(<saml2p:Status>.*<\/saml2p:Status>)/, "$1$1"), "xml: it has two elements Status"],
  ])("with %s", async (_, change, reason) => {
    expect(await judged(change)).toBe(reason);
  });
});

describe("when a response counts", () => {
  const issued = (time: string) => replaced(/(<saml2:Assertion ID="[^"]*" IssueInstant=)"[^"]*"/, `$1"${time}"`);
  const conditions = (name: string, time: string) =>
    replaced(new RegExp(`(<saml2:Conditions [^>]*${name}=)"[^"]*"`), `$1"${time}"`);
  const signedIn = (name: string, time: string) => replaced('SessionIndex="session-1"', `${name}="${time}"`);
  const instant = (time: string) => replaced(/AuthnInstant="[^"]*"/, `AuthnInstant="${time}"`);

  test.each<[string, (xml: string) => string, string | null]>([
    ["made in 60 seconds", issued(at(60)), null],
    ["made in 61 seconds", issued(at(61)), "clock_skew"],
    ["made 660 seconds ago", issued(at(-660)), null],
    ["made 661 seconds ago", issued(at(-661)), "expired"],
    ["a beginning in 60 seconds", conditions("NotBefore", at(60)), null],
    ["a beginning in 61 seconds", conditions("NotBefore", at(61)), "clock_skew"],
    ["an end 60 seconds ago", conditions("NotOnOrAfter", at(-60)), null],
    ["an end 61 seconds ago", conditions("NotOnOrAfter", at(-61)), "expired"],
    ["a confirmation that ended 60 seconds ago", confirmation({ NotOnOrAfter: at(-60) }), null],
    ["a confirmation that ended 61 seconds ago", confirmation({ NotOnOrAfter: at(-61) }), "expired"],
    ["a session that ended 60 seconds ago", signedIn("SessionNotOnOrAfter", at(-60)), null],
    ["a session that ended 61 seconds ago", signedIn("SessionNotOnOrAfter", at(-61)), "expired"],
    ["a sign-in in 60 seconds", instant(at(60)), null],
    ["a sign-in in 61 seconds", instant(at(61)), "clock_skew"],
    ["a sign-in at no time", replaced(/ AuthnInstant="[^"]*"/, ""), "xml: AuthnInstant is missing in AuthnStatement"],
    [
      "no time at which it was made",
      replaced(/(<saml2:Assertion ID="[^"]*") IssueInstant="[^"]*"/, "$1"),
      "xml: IssueInstant is missing in Assertion",
    ],
    ["a time with seven digits of a second", issued("2026-11-30T07:59:59.1234567Z"), null],
    ["a time without seconds", issued("2026-11-30T08:00Z"), "xml: IssueInstant is no time in UTC"],
    ["a time of another zone", issued("2026-11-30T08:00:00+00:00"), "xml: IssueInstant is no time in UTC"],
    ["a time of no zone", issued("2026-11-30T08:00:00"), "xml: IssueInstant is no time in UTC"],
    ["a day that is not in the calendar", issued("2026-11-31T08:00:00Z"), "xml: IssueInstant is no time in UTC"],
    ["a time that is empty", issued(""), "xml: IssueInstant is no time in UTC"],
  ])("with %s", async (_, change, reason) => {
    expect(await judged(change)).toBe(reason);
  });
});
