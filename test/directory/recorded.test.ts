/** What Okta and Entra send, through the routes, and what they expect. */
import { describe, expect, test } from "vitest";
import { ENTRA, OKTA } from "../support/recorded-directories";
import { newDirectory, scim } from "../support/scim";

describe.each([
  ["Okta", OKTA],
  ["Entra", ENTRA],
])("%s", (_directory, steps) => {
  test("gets what it expects at each step", async () => {
    const directory = await newDirectory();
    const names: Record<string, string> = { domain: directory.connection.domain };
    const fill = <T>(value: T): T => {
      if (typeof value === "string") return value.replaceAll(/\{(\w+)\}/g, (all, name) => names[name] ?? all) as T;
      if (Array.isArray(value)) return value.map(fill) as T;
      if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return filledMatcher(value, fill);
      return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, fill(member)])) as T;
    };
    for (const [what, method, path, body, status, expected] of steps) {
      const at = path.replaceAll(/\{(\w+)\}|%7B(\w+)%7D/g, (all, name, encoded) => names[name ?? encoded] ?? all);
      const answer = await scim(directory, method, at, body === null ? {} : { body: fill(body) });
      expect([what, answer.status]).toEqual([what, status]);
      if (expected === null) expect([what, answer.body]).toEqual([what, undefined]);
      else expect(answer.body, what).toMatchObject(fill(expected));
      const [made] = what.split(":");
      if (made !== undefined && made !== what) names[made] = answer.body.id;
    }
  });
});

/** What is expected of a part of the answer is filled too. */
function filledMatcher<T>(value: T, fill: <M>(member: M) => M): T {
  const sample = (value as { sample?: unknown } | null)?.sample;
  return typeof sample === "object" && sample !== null ? expect.objectContaining(fill(sample)) : value;
}
