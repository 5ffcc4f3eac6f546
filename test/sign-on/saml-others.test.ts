/** Responses that other software has signed, by .ci/saml/responses.py: pysaml2 7.5.5 and xmlsec1 1.2.37. */
import { describe, expect, test } from "vitest";
import { readResponse } from "../../src/sign-on/saml/response";
import { EXPECTED } from "../support/saml/facts";
import { P256 } from "../support/saml/keys";
import { encoded } from "../support/saml/responses";
import signed from "../support/saml/signed-by-others.json";

const { nowMs, responses } = signed;
const expected = { ...EXPECTED, certificates: [...EXPECTED.certificates, P256.certificate] };
const read = (xml: string) => readResponse(encoded(xml), expected, nowMs);

const BY_PYSAML2 = {
  mail: ["ada@acme.example"],
  displayName: ["Ada Lovelace"],
  eduPersonAffiliation: ["staff", "R & D"],
};
/** Of two values one has elements, and is left out. */
const BY_XMLSEC1 = { "r&d\n😀": ["ä <&> \r\n"] };

describe.each(Object.entries(responses))("a response by %s", (name, xml) => {
  test("is read", async () => {
    const attributes = name.startsWith("pysaml2") ? BY_PYSAML2 : BY_XMLSEC1;
    expect(await read(xml)).toMatchObject({ subject: "ada-1815", attributes: expect.objectContaining(attributes) });
  });

  test("is not read with another subject", async () => {
    const changed = read(xml.replace("ada-1815", "bob-1815"));
    await expect(changed).rejects.toMatchObject({ reason: "bad_signature" });
  });
});
