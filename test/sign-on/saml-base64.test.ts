/** Base64 in responses by SAML: each value is written in one way, but for white space. */
import { expect, test } from "vitest";
import { strictBase64 } from "../../src/sign-on/saml/base64";

test.each<[string, string, number[] | null]>([
  ["whole", "AQID", [1, 2, 3]],
  ["padded", "AQI=", [1, 2]],
  ["padded twice", "AQ==", [1]],
  ["in lines", " AQ\r\nID\t\n", [1, 2, 3]],
  ["with bits that count for nothing", "AR==", null],
  ["with such bits in two bytes", "AQJ=", null],
  ["without its padding", "AQI", null],
  ["with padding inside", "AQ==AQID", null],
  ["with too much padding", "A===", null],
  ["in the alphabet of URLs", "_-__", null],
  ["with another character", "AQ!D", null],
  ["with another kind of blank", "AQ\u00a0ID", null],
  ["empty", "", null],
  ["of blanks", " \n", null],
])("%s", (_, text, bytes) => {
  const read = strictBase64(text);
  expect(read && [...read]).toEqual(bytes);
});
