/** Signature wrapping: where else an assertion that is not signed can stand beside the one that is. */
import { beforeAll, describe, expect, test } from "vitest";
import { attacked, element, type Parts, without } from "../support/saml/attacked";
import { FACTS } from "../support/saml/facts";
import { signedXml } from "../support/saml/responses";
import { copyOf, first, remove, setAttribute, type Tree } from "../support/saml/tree";

const TWO = "xml: it has 2 assertions, and one is taken";
let xml: string;

beforeAll(async () => {
  xml = await signedXml();
});

test("an attacker's tree is the response again, where nothing is attacked", async () => {
  expect(await attacked(xml, () => undefined)).toBeNull();
});

describe("signature wrapping", () => {
  const place = (to: Tree, ...all: Tree[]) => void to.children.push(...all);
  test.each<[string, (parts: Parts) => Tree | undefined, string]>([
    [
      "1: the response in its own signature",
      ({ response, signature, evil }) => {
        const outer = element(
          "saml2p:Response",
          ...(response.children as Tree[]).filter((one) => one.name !== "saml2:Assertion"),
          evil,
        );
        outer.attributes = [...response.attributes.filter(([name]) => name !== "ID"), ["ID", "_outer"]];
        const copy = copyOf(signature);
        place(copy, response);
        place(outer, copy);
        return outer;
      },
      TWO,
    ],
    [
      "2: the response beside its signature",
      ({ response, evil, signature }) => {
        const original = copyOf(response);
        setAttribute(response, "ID", "_outer");
        response.children = response.children.map((one) =>
          typeof one !== "string" && one.name === "saml2:Assertion" ? evil : one,
        );
        place(response, copyOf(signature), original);
        return response;
      },
      TWO,
    ],
    [
      "3: another assertion before it",
      ({ response, assertion, evil }) => void response.children.splice(response.children.indexOf(assertion), 0, evil),
      TWO,
    ],
    [
      "4: another assertion around it",
      ({ response, assertion, evil }) => {
        remove(response, assertion);
        place(evil, assertion);
        place(response, evil);
        return response;
      },
      TWO,
    ],
    [
      "5: another assertion with its signature",
      ({ response, assertion, signature, evil }) => {
        place(evil, signature);
        place(response, evil);
        return without(response, first(assertion, "Signature")) && response;
      },
      TWO,
    ],
    [
      "6: the assertion in the signature of another",
      ({ response, assertion, signature, evil }) => {
        remove(response, assertion);
        remove(assertion, signature);
        place(signature, assertion);
        place(evil, signature);
        place(response, evil);
        return response;
      },
      TWO,
    ],
    [
      "7: another assertion in Extensions",
      ({ response, evil }) => void response.children.splice(1, 0, element("saml2p:Extensions", evil)),
      TWO,
    ],
    [
      "8: the assertion in an Object of the signature of another",
      ({ response, assertion, signature, evil }) => {
        remove(response, assertion);
        remove(assertion, signature);
        place(signature, element("ds:Object", assertion));
        place(evil, signature);
        place(response, evil);
        return response;
      },
      TWO,
    ],
    [
      "with one ID twice",
      ({ response, evil }) => {
        setAttribute(evil, "ID", FACTS.assertionId);
        place(response, evil);
        return response;
      },
      "xml: two elements have the same ID",
    ],
    [
      "with an assertion of another namespace",
      ({ response, evil }) => {
        setAttribute(evil, "xmlns:saml2", "urn:oasis:names:tc:SAML:1.0:assertion");
        place(response, evil);
        return response;
      },
      TWO,
    ],
  ])("%s", async (_, attack, reason) => {
    expect(await attacked(xml, attack)).toBe(reason);
  });

  test("without a second assertion: the signature is of something else in it", async () => {
    const hidden = (name: string) =>
      attacked(xml, ({ response, assertion, evil, signature }) => {
        const copy = copyOf(assertion);
        remove(copy, first(copy, "Signature"));
        copy.name = name;
        evil.children.splice(1, 0, signature, copy);
        remove(response, assertion);
        response.children.push(evil);
        return response;
      });
    expect(await hidden("saml2:Advice")).toBe("xml: the signature is not that of the assertion it is in");
    expect(await hidden("saml2:Other")).toBe("xml: the signature is not that of the assertion it is in");
  });
});
