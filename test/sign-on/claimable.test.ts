/** Which domains a tenant can have, and how they are stored. */
import { expect, test } from "vitest";
import { claimableDomain } from "../../src/sign-on/domains/claimable";

test.each([
  ["acme.com", "acme.com"],
  [" ACME.Com. ", "acme.com"],
  ["eu.acme.co.uk", "eu.acme.co.uk"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["XN--BCHER-KVA.example", "xn--bcher-kva.example"],
  ["faß.de", "xn--fa-hia.de"],
  ["ａｃｍｅ。com", "acme.com"],
])("%s is stored as %s", (text, stored) => {
  expect(claimableDomain(text)).toBe(stored);
});

test.each([
  ...["", "com", "localhost", "acme", ".com", "acme..com", "-acme.com", "acme-.com", "a_b.com", "*.acme.com"],
  ...["127.0.0.1", "0x7f.1", "1.2.3", "[::1]", "acme.com:443", "acme.com/a", "a@acme.com", "acme.com?", "acme.com#"],
  ...["ac me.com", "acme%2ecom", "acme.com\\", `${"a".repeat(64)}.com`, `${"a.".repeat(120)}com`],
  ...["co.uk", "com.au", "ac.jp", "gov.in", "anything.bd", "gmail.com", "GMail.com", "outlook.com", "qq.com"],
])("%s is refused", (text) => {
  expect(() => claimableDomain(text)).toThrow("The request is not valid.");
});
