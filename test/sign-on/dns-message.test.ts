/** Questions to DNS and their answers, by messages that dnspython 2.9.2 has made. */
import { expect, test } from "vitest";
import { fromHex, toHex } from "../../src/base/crypto/encoding";
import { textsIn, txtQuestion } from "../../src/sign-on/domains/dns-message";

const NAME = "_postern-challenge.acme.com";
const ID = 0x1234;
const VALUE = "postern-domain-verification=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

const QNAME = "125f706f737465726e2d6368616c6c656e67650461636d6503636f6d00";
const QUESTION = `${QNAME}00100001`;
const VALUE_RECORD =
  "c00c001000010000012c003d3c706f737465726e2d646f6d61696e2d766572696669636174696f6e3d4a425357593344504548504b3350" +
  "58504a425357593344504548504b33505850";
const SPLIT =
  "c00c001000010000012c000c0b763d73706631202d616c6cc00c001000010000012c003f0f706f737465726e2d646f6d61696e2d1d7665" +
  "72696669636174696f6e3d4a425357593344504548504b33505850104a425357593344504548504b33505850";
const ALIAS =
  "c00c000500010000012c00130570726f6f66076578616d706c65036e657400c039001000010000012c003d3c706f737465726e2d646f6d" +
  "61696e2d766572696669636174696f6e3d4a425357593344504548504b335058504a425357593344504548504b33505850";

const textsOf = (hex: string) => textsIn(fromHex(hex), NAME, ID);

test("a question is as dnspython asks it", () => {
  expect(toHex(txtQuestion(NAME, ID))).toBe(`123401000001000000000000${QUESTION}`);
});

test.each<[what: string, answer: string, texts: string[] | null]>([
  ["a record", `123481800001000100000000${QUESTION}${VALUE_RECORD}`, [VALUE]],
  ["two records, one of them in three strings", `123481800001000200000000${QUESTION}${SPLIT}`, ["v=spf1 -all", VALUE]],
  ["an alias, whose record is another name's", `123481800001000200000000${QUESTION}${ALIAS}`, []],
  ["no such name", `123481830001000000000000${QUESTION}`, []],
  ["no such record", `123481800001000000000000${QUESTION}`, []],
  [
    "a name in other letters",
    `123481800001000100000000${QUESTION.replace("706f737465726e", "504f535445524e")}${VALUE_RECORD}`,
    [VALUE],
  ],
  ["SERVFAIL", `123481820001000000000000${QUESTION}`, null],
  ["a truncated answer", `123483800001000100000000${QUESTION}${VALUE_RECORD}`, null],
  ["another id", `123581800001000100000000${QUESTION}${VALUE_RECORD}`, null],
  ["a question", `123401000001000000000000${QUESTION}`, null],
  ["another name", `123481800001000100000000${QUESTION.replace("636f6d", "6f7267")}${VALUE_RECORD}`, null],
  ["another type", `123481800001000000000000${QNAME}00010001`, null],
  ["no question", `123481800000000100000000${VALUE_RECORD}`, null],
  ["more records than it has", `123481800001000900000000${QUESTION}${VALUE_RECORD}`, null],
  ["a name that leads to itself", "123481800001000000000000c00c00100001", null],
  ["nothing", "", null],
])("%s", (_what, answer, texts) => {
  expect(textsOf(answer)).toEqual(texts);
});

test("an answer that ends anywhere is none", () => {
  const whole = `123481800001000200000000${QUESTION}${SPLIT}`;
  for (let bytes = 0; bytes < whole.length / 2; bytes += 1) expect(textsOf(whole.slice(0, 2 * bytes))).toBeNull();
});
