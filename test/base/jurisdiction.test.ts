/** OBJECT_JURISDICTION holds for every class of objects. The local runtime has none, so only the request is seen. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { createDeps, forgetSettings } from "../../src/base/deps";

afterEach(() => {
  vi.restoreAllMocks();
  forgetSettings();
});

test("every class of Durable Objects is asked for in the jurisdiction that the setting names", async () => {
  const classes = Object.entries(env).filter(([, value]) => value?.constructor.name === "DurableObjectNamespace");
  expect(classes.length).toBeGreaterThan(5);
  const asked: string[] = [];
  const bound = classes.map(([name, namespace]) => [
    name,
    { jurisdiction: (where: string) => asked.push(`${name} ${where}`) && namespace },
  ]);
  const settings = { ...env, ...Object.fromEntries(bound), OBJECT_JURISDICTION: "eu" };
  await createDeps(settings, createExecutionContext());
  expect(asked.sort()).toEqual(classes.map(([name]) => `${name} eu`).sort());
});

test("a jurisdiction that there is not stops the service", () => {
  expect(() => parseConfig({ ...env, OBJECT_JURISDICTION: "europe" })).toThrow(
    'OBJECT_JURISDICTION must be "eu", "fedramp", "fedramp-high" or empty',
  );
});
