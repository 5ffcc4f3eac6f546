/** Each delivery option is described once; its schemas, its part of the form and its row in the docs come from that. */
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  changeOf,
  DELIVERY_OPTIONS,
  deliveryChange,
  deliveryOptions,
  INPUT_NAMES,
  inputOf,
  optionsPatch,
  textsOf,
} from "../../src/webhooks/options/delivery-options";
import { RETRY_OPTIONS } from "../../src/webhooks/options/retry-options";
import { signUp } from "../support/client";
import { holding } from "../support/console";

const DEPLOYMENT = { autoDisableHours: 120 };
const get = (path: string) => exports.default.fetch(new Request(new URL(path, "http://postern.test")));

/** Every example that the API's document gives for an option. */
const examplesOf = (schema: (typeof DELIVERY_OPTIONS)[number]["change"]) =>
  (schema.meta()?.examples ?? []) as unknown[];

test("the request, the answer and the list have the same options", () => {
  const named = new Set(DELIVERY_OPTIONS.map(({ path }) => path.split(".")[0]));
  expect(new Set(Object.keys(deliveryChange.shape))).toEqual(named);
  expect(new Set(Object.keys(deliveryOptions.shape))).toEqual(named);
  expect(Object.keys(RETRY_OPTIONS)).toEqual(
    DELIVERY_OPTIONS.flatMap(({ path }) => (path.startsWith("retry.") ? [path.slice("retry.".length)] : [])),
  );
});

test("no two inputs have the same name", () => {
  expect(new Set(INPUT_NAMES).size).toBe(INPUT_NAMES.length);
});

describe.each(DELIVERY_OPTIONS)("$path", ({ path, change, docs, field }) => {
  test("has a description, values, a default and an example that the API accepts", () => {
    expect([docs.description, docs.values, docs.byDefault].every((text) => text.length > 3)).toBe(true);
    expect(change.meta()?.description).toBe(`${docs.description} By default: ${docs.byDefault}.`);
    expect(examplesOf(change).length).toBeGreaterThan(0);
    for (const example of examplesOf(change)) expect(change.safeParse(example).success).toBe(true);
  });

  test("has labelled inputs, and one of them has a hint or says which choice is the default", () => {
    for (const { label, kind, choices } of field.inputs) {
      expect(label.length).toBeGreaterThan(2);
      expect(choices !== undefined).toBe(kind === "choice");
      for (const [, choice] of choices?.(DEPLOYMENT) ?? []) expect(choice).not.toBe("");
    }
    const labels = field.inputs.flatMap(({ choices }) => choices?.(DEPLOYMENT) ?? []).map(([, label]) => label);
    expect(field.inputs.some(({ hint }) => hint) || labels.some((label) => label.includes("default"))).toBe(true);
    expect(field.inputs.map(({ name }) => name)).toContain(field.errorInput);
    expect([inputOf(`delivery.${path}`), inputOf(`delivery.${path}.0`)]).toEqual([field.errorInput, field.errorInput]);
  });

  test("stays as it is in a form without its inputs, and a form that was not changed sets nothing", () => {
    expect(field.read({})).toBeUndefined();
    expect(optionsPatch(deliveryChange.parse(changeOf(field.show(undefined))))).toEqual(
      path === "headers" ? {} : optionsPatch(deliveryChange.parse(changeTo(path, null))),
    );
  });

  test.skipIf(path === "headers")("is stored as the form shows it, for each value that the form can set", () => {
    for (const example of examplesOf(change)) {
      const stored = optionsPatch(deliveryChange.parse(changeTo(path, example)));
      const shown = deliveryOptions.parse(stored);
      expect(optionsPatch(deliveryChange.parse(changeOf(textsOf(shown))))).toMatchObject(stored);
    }
  });

  test("is in the docs and in the form", async () => {
    const docsPage = await (await get("/docs/retries")).text();
    expect(docsPage).toContain(`<td><code>${path}</code></td>`);
    const { html } = await (await holding(await signUp())).get("/webhooks/new");
    for (const { name, label } of field.inputs) {
      expect(html).toContain(`<label for="${name}">${label}</label>`);
      expect(html).toContain(`name="${name}"`);
    }
  });
});

test("an error at an option's name alone belongs to it, and not to one whose name begins alike", () => {
  expect(inputOf("delivery.formatted")).toBeUndefined();
  expect(inputOf("delivery")).toBeUndefined();
});

/** `retry.schedule` and a value as a change of `delivery`. */
function changeTo(path: string, value: unknown): Record<string, unknown> {
  const [first = "", second] = path.split(".");
  return { [first]: second === undefined ? value : { [second]: value } };
}
