/** Responses by SAML in the shapes of well-known providers, and what is read of them. */
import { expect, test } from "vitest";
import { claimedInResponseTo, readResponse } from "../../src/sign-on/saml/response";
import { EMAIL_FORMAT, EXPECTED, FACTS, NOW_MS } from "../support/saml/facts";
import { ATTACKER, IDP, P256 } from "../support/saml/keys";
import { encoded, signedResponse, signedXml } from "../support/saml/responses";
import { SHAPES } from "../support/saml/shapes";

const PERSON = {
  subject: FACTS.subject,
  nameIdFormat: EMAIL_FORMAT,
  attributes: FACTS.attributes,
  sessionIndex: FACTS.sessionIndex,
  sessionNotOnOrAfterMs: null,
  authnInstantMs: NOW_MS,
  authnContext: FACTS.authnContext,
  assertionId: FACTS.assertionId,
  expiresAtMs: NOW_MS + 360_000,
};

test.each(Object.keys(SHAPES))("reads a response in the shape of %s", async (name) => {
  const person = await readResponse(await signedResponse({}, { shape: SHAPES[name] }), EXPECTED, NOW_MS);
  expect(person).toMatchObject({ ...PERSON, attributes: expect.objectContaining(FACTS.attributes) });
});

test.each([
  ["RSA and SHA-512", IDP, { hash: "SHA-512", digest: "SHA-512" }],
  ["RSA and SHA-256, and a digest by SHA-512", IDP, { digest: "SHA-512" }],
  ["P-256 and SHA-256", P256, {}],
  ["P-256 and SHA-512", P256, { hash: "SHA-512" }],
] as const)("takes a signature by %s", async (_, signer, signing) => {
  const expected = { ...EXPECTED, certificates: [ATTACKER.certificate, signer.certificate] };
  const response = await signedResponse({}, { signer, signing });
  expect(await readResponse(response, expected, NOW_MS)).toEqual(PERSON);
});

test("says which request a response claims to answer", async () => {
  expect(claimedInResponseTo(await signedResponse())).toBe(FACTS.requestId);
  const unsolicited = (await signedXml()).replaceAll(` InResponseTo="${FACTS.requestId}"`, "");
  expect(claimedInResponseTo(encoded(unsolicited))).toBeNull();
  expect(claimedInResponseTo("no base64")).toBeNull();
  expect(claimedInResponseTo(encoded("<a>"))).toBeNull();
});
