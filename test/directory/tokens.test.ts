/** The tokens of directories, and what the SCIM server answers whom. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { bring, newDirectory, newToken, scim } from "../support/scim";
import { newTenant } from "../support/signed-on";

test("of 20 parallel requests two make a token", async () => {
  const { owner, connection } = await newTenant();
  const at = `/tenant/connections/${connection.id}/scim-tokens`;
  const asked = Array.from({ length: 20 }, () => call("POST", at, { token: owner.token, body: {} }));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 201, ...Array(18).fill(409)]);
});

test("a token is shown once, works until it is revoked, and opens its own connection alone", async () => {
  const directory = await newDirectory();
  const { owner, connection, token } = directory;
  const at = `/tenant/connections/${connection.id}/scim-tokens`;
  expect((await scim(directory, "GET", "/Users")).status).toBe(200);
  const { body } = await call("GET", at, { token: owner.token });
  expect(body.data).toEqual([
    {
      id: expect.any(String),
      needsReview: false,
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedAt: expect.any(String),
    },
  ]);
  const other = await newDirectory();
  const refused = {
    status: "401",
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    detail: expect.any(String),
  };
  for (const wrong of [
    { ...other, token },
    { ...directory, token: "scim_x" },
    { ...directory, token: owner.token },
  ]) {
    expect((await scim(wrong, "GET", "/Users")).body).toEqual(refused);
  }
  await call("DELETE", `${at}/${body.data[0].id}`, { token: owner.token, body: {} });
  expect((await scim(directory, "GET", "/Users")).status).toBe(401);
  const stranger = await signUpVerified();
  expect((await call("GET", at, { token: stranger.token })).status).toBe(404);
  const past = await call("POST", at, { token: owner.token, body: { expiresAt: "2020-01-01T00:00:00Z" } });
  expect(past.status).toBe(400);
});

test("what is not served is refused in SCIM's shape", async () => {
  const directory = await newDirectory();
  const id = (await bring(directory)).id;
  const answers: Record<string, [status: number, scimType?: string]> = {
    "GET /Me": [501],
    "POST /Bulk": [501],
    "POST /Users/.search": [501],
    "GET /Nothing": [404],
    "DELETE /Users": [405],
    [`POST /Users/${id}`]: [405],
    "GET /Users/nobody": [404],
    "GET /Users?filter=x": [400, "invalidFilter"],
    "GET /Users?cursor=x": [400, "invalidCursor"],
    "POST /Users": [400, "invalidSyntax"],
  };
  for (const [route, [status, scimType]] of Object.entries(answers)) {
    const [method = "", path = ""] = route.split(" ");
    const { body, headers } = await scim(directory, method, path, method === "POST" ? { body: "{" } : {});
    expect([route, body]).toEqual([
      route,
      {
        schemas: [expect.stringMatching(/Error$/)],
        status: `${status}`,
        ...(scimType ? { scimType } : {}),
        detail: expect.any(String),
      },
    ]);
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(headers.get("content-type")).toContain("application/scim+json");
  }
  const form = { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } };
  expect((await scim(directory, "POST", "/Users", form)).status).toBe(415);
  const anonymous = { ...directory, token: "" };
  expect((await scim(anonymous, "GET", "/ServiceProviderConfig")).status).toBe(401);
});

test.each(["/ServiceProviderConfig", "/Schemas", "/ResourceTypes", "/ResourceTypes/User"])(
  "serves %s",
  async (path) => {
    const directory = await newDirectory();
    expect(await scim(directory, "GET", path)).toMatchObject({ status: 200, body: { schemas: [expect.any(String)] } });
  },
);

test("a disabled connection and a suspended tenant refuse the directory", async () => {
  const directory = await newDirectory();
  const { owner, connection } = directory;
  await newToken(owner, connection.id);
  await call("POST", `/tenant/connections/${connection.id}/disable`, { token: owner.token, body: {} });
  expect((await scim(directory, "GET", "/Users")).status).toBe(403);
});

test("more than the limit of a connection is refused with a time to wait", async () => {
  const directory = await newDirectory();
  const variables = { RATE_LIMITS: JSON.stringify({ scim: { limit: 1, windowSeconds: 60 } }) };
  expect((await scim(directory, "GET", "/Users", { variables })).status).toBe(200);
  const { status, headers } = await scim(directory, "GET", "/Users", { variables });
  expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
});
