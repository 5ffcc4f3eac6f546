/** Canonical forms, compared with those of the package xml-crypto, on documents made at random. */
import { DOMParser } from "@xmldom/xmldom";
import { expect, test } from "vitest";
import { ExclusiveCanonicalization, findAncestorNs } from "xml-crypto";
import { utf8 } from "../../src/base/crypto/encoding.ts";
import { canonicalBytes } from "../../src/sign-on/saml/canonical.ts";
import { parseXml } from "../../src/sign-on/saml/parse.ts";
import { seeded } from "../support/faults/random.ts";
import { type RandomDocument, randomDocument } from "../support/saml/random-documents.ts";
import { byId } from "../support/saml/signing.ts";

const DOCUMENTS = 300;

function theirs({ xml, id, inclusive }: RandomDocument): string {
  const document = new DOMParser().parseFromString(xml, "text/xml");
  const element = Array.from(document.getElementsByTagName("*")).find((one) => one.getAttribute("ID") === id);
  const ancestorNamespaces = findAncestorNs(document, `//*[@ID='${id}']`);
  const how = { inclusiveNamespacesPrefixList: inclusive, ancestorNamespaces };
  return new ExclusiveCanonicalization().process(element as never, how as never).toString();
}

function ours({ xml, id, inclusive }: RandomDocument): string {
  const element = byId(parseXml(utf8(xml)), id);
  if (element === null) throw new Error(`there is no element ${id}`);
  return new TextDecoder().decode(canonicalBytes(element, { inclusive: new Set(inclusive), without: null }));
}

test("the canonical form of any document is that of xml-crypto", () => {
  for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
    const document = randomDocument(seeded(seed));
    // The package does not know #default, which a response that xmlsec1 has signed shows instead.
    const known = { ...document, inclusive: document.inclusive.filter((prefix) => prefix !== "#default") };
    expect(ours(known), `seed ${seed}`).toBe(theirs(known));
  }
});
