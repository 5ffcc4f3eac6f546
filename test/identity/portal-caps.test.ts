/** How many portal links and tokens a tenant, a person and the product can have. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, signUp } from "../support/client";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";
import { newPlatformKey } from "../support/platform-keys";
import { READ } from "../support/portal";

describe("making portal links", () => {
  const CAPPED = { MAX_PORTAL_LINKS_PER_TENANT: "7", MAX_PORTAL_LINKS_PER_USER: "3" };
  const ofTwenty = (made: number) => [...Array(made).fill(201), ...Array(20 - made).fill(409)];
  /** Twenty at once, by turns with each of the credentials. */
  async function twenty(tokens: string[], headers: Record<string, string> = {}) {
    const make = (index: number) =>
      callUnder(CAPPED, {
        path: index % 2 === 0 ? "/api/v1/portal-links" : "/api/v1/portal-tokens",
        token: tokens[index % tokens.length],
        headers,
        body: { permissions: READ },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => make(index)));
    const refused = answers.find(({ status }) => status === 409);
    return { statuses: answers.map(({ status }) => status).sort(), message: refused?.body.message };
  }

  test("stops at the share of a person, exactly, whose API keys count too", async () => {
    const owner = await signUp();
    const viewer = await joinTenant(owner, "viewer");
    const body = { name: "k", scopes: READ };
    const { key } = (await call("POST", "/api-keys", { token: viewer.token, body })).body.data;
    expect(await twenty([viewer.token, key, viewer.token])).toEqual({
      statuses: ofTwenty(3),
      message: "A user of a tenant can have at most 3 portal links and tokens.",
    });
    expect((await twenty([owner.token])).statuses).toEqual(ofTwenty(3));
  });

  test("is never refused to the product for what people have made, nor to people for what the product has", async () => {
    const owner = await signUp();
    const developer = await joinTenant(owner, "developer");
    const tenantKey = { name: "k", scopes: READ, owner: "tenant" };
    const { key } = (await call("POST", "/api-keys", { token: owner.token, body: tenantKey })).body.data;
    expect((await twenty([key])).statuses).toEqual(ofTwenty(7));
    const platform = await newPlatformKey();
    expect(await twenty([platform.key], { "postern-tenant": owner.tenantId })).toEqual({
      statuses: ofTwenty(7),
      message: "A tenant can have at most 7 portal links and tokens.",
    });
    expect((await twenty([developer.token])).message).toBe("A tenant can have at most 7 portal links and tokens.");
    await env.DB.prepare("UPDATE portal_links SET expires_at = 0 WHERE tenant_id = ? AND maker_kind = 'api-key'")
      .bind(owner.tenantId)
      .run();
    expect((await twenty([developer.token])).statuses).toEqual(ofTwenty(3));
  });
});
