/** That the members of a tenant cannot use up its limits for the product. */
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/app";
import type { RouteDocs } from "../../src/base/http/route-docs";
import { PLATFORM_SCOPES, permissionsOfScopes } from "../../src/base/schemas/platform-scopes";
import { describedRoutes } from "../../src/docs/openapi/document";
import { signUp } from "../support/client";
import { callUnder } from "../support/overrides";
import { newPlatformKey, type PlatformKey } from "../support/platform-keys";

describe("what members ask for leaves the product its own limit", () => {
  const ofProduct = describedRoutes(app).flatMap(({ method, path, docs }) => {
    const { permission, limit, access }: RouteDocs = Object.assign({}, ...docs);
    const isShared = limit?.per === "tenant" || limit?.per === "feed";
    if (!isShared || !permission || !access?.callers?.includes("platform-key")) return [];
    if (!permissionsOfScopes(PLATFORM_SCOPES).has(permission)) return [];
    const units = access.limit?.units ?? 1;
    return [{ name: `${method} ${path}`, method, path: path.replace(/{\w+}/g, "x"), rule: limit.rule, units }];
  });
  let product: PlatformKey;
  beforeAll(async () => {
    product = await newPlatformKey();
  });

  test("there are such routes", () => {
    expect(ofProduct.length).toBeGreaterThan(20);
  });

  test.each(ofProduct)("$name", async ({ method, path, rule, units }) => {
    const { token, tenantId } = await signUp();
    const limits = { RATE_LIMITS: JSON.stringify({ [rule]: { limit: units, windowSeconds: 60 } }) };
    // A query that every route with a query refuses, so that no answer is a file.
    const request = { method, path: method === "GET" ? `${path}?since=x` : path };
    const answers = [await callUnder(limits, { ...request, token }), await callUnder(limits, { ...request, token })];
    expect(answers.map(({ status }) => status === 429)).toEqual([false, true]);
    const headers = { "postern-tenant": tenantId };
    expect((await callUnder(limits, { ...request, token: product.key, headers })).status).not.toBe(429);
  });
});
