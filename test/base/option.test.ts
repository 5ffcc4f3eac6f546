/** Fields of options: what forms show and read, and what that stands for in the API. */
import { expect, test } from "vitest";
import { numberField, textField, textsFor, valuesIn, withoutDefaults, wordsField } from "../../src/base/option";

const OPTIONS = [
  { path: "prefix", field: textField({ name: "prefix", label: "" }) },
  { path: "allow", field: wordsField({ name: "allow", label: "" }) },
  { path: "signed.seconds", field: numberField({ name: "signed.seconds", label: "", byDefault: "300" }) },
  { path: "signed.content", field: textField({ name: "signed.content", label: "", byDefault: "{body}" }) },
];

test("a form shows what is set, else what the default is, and stands for the same again", () => {
  const nothing = textsFor(OPTIONS, null);
  expect(nothing).toEqual({ prefix: "", allow: "", "signed.seconds": "300", "signed.content": "{body}" });
  const set = { prefix: "a.", allow: ["b", "c.*"], signed: { seconds: 7, content: "x{body}" } };
  const shown = textsFor(OPTIONS, set);
  expect(shown.allow).toBe("b\nc.*");
  expect(valuesIn(OPTIONS, shown)).toEqual(set);
});

test("an empty text is the default, and an input that the form does not have sets nothing", () => {
  const emptied = { prefix: " ", allow: "\n", "signed.seconds": "", "signed.content": "" };
  const values = valuesIn(OPTIONS, emptied);
  expect(values).toEqual({ prefix: null, allow: null, signed: { seconds: null, content: null } });
  expect(withoutDefaults(values)).toEqual({});
  expect(valuesIn(OPTIONS, {})).toEqual({});
});

test("a text that is no number is left to the schema to refuse", () => {
  expect(valuesIn(OPTIONS, { "signed.seconds": "x" })).toEqual({ signed: { seconds: Number.NaN } });
});
