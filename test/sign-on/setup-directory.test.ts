/** Setup links for a directory: what they make works once an owner has looked at it. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { mailTo } from "../support/mailbox";
import { newToken, scim } from "../support/scim";
import { openedSetupLink } from "../support/setup-links";
import { connect } from "../support/sign-on";
import { newTenant } from "../support/signed-on";

test("a link sets up the directory of its connection, whose token works once an owner has accepted it", async () => {
  const { owner: director, connection } = await newTenant();
  const existing = await connect(director);
  const { get, post } = await openedSetupLink(director, { connectionId: connection.id, may: ["directory"] });
  expect((await get("/directories")).location).toBe(`/setup/directories/${connection.id}`);
  const closed = [await get("/connections"), await get("/domains"), await post(`/directories/${existing.id}/tokens`)];
  expect(closed.map(({ status }) => status)).toEqual([403, 403, 404]);
  const at = `/directories/${connection.id}`;
  const made = await post(`${at}/tokens`, { expiresAt: "" });
  const [token = ""] = made.html.match(/scim_[0-9A-Za-z]{40}/) ?? [];
  const directory = { connection, token };
  expect([made.status, (await scim(directory, "GET", "/Users")).status]).toEqual([201, 403]);
  expect((await get(at)).html).not.toMatch(new RegExp(`${token}|People`));
  await mailTo(director.email, /waits for you/);
  await call("POST", `/tenant/connections/${connection.id}/activate`, director);
  expect((await scim(directory, "GET", "/Users")).status).toBe(200);
  const own = await newToken(director, connection.id);
  const [{ id }] = (await call("GET", `/tenant/connections/${connection.id}/scim-tokens`, director)).body.data;
  expect((await post(`${at}/tokens/${id}/revoke`)).location).toBe(`/setup${at}`);
  expect((await scim({ connection, token: own }, "GET", "/Users")).status).toBe(401);
});

test("a link for the directory alone makes a connection for it, which an owner activates with its token", async () => {
  const director = await signUpVerified();
  const { get, post } = await openedSetupLink(director, { may: ["directory"] });
  expect((await get("")).location).toBe("/setup/directories");
  const page = await get("/directories");
  expect([page.status, page.html.includes("Connect your directory"), page.html.includes("single sign-on")]).toEqual([
    200,
    true,
    false,
  ]);
  const nameless = await post("/directories", { name: "" });
  expect([nameless.status, nameless.html.includes('id="name-error"')]).toEqual([400, true]);
  const { location = "" } = await post("/directories", { name: "Acme's people" });
  expect(location).toMatch(/^\/setup\/directories\/[\w-]{36}$/);
  const id = location?.split("/").at(-1) ?? "";
  expect((await get("/directories")).location).toBe(location);
  const again = await post("/directories", { name: "Another" });
  expect([again.status, again.html.includes("This link has a connection")]).toEqual([409, true]);
  const made = await post(`/directories/${id}/tokens`, { expiresAt: "" });
  const [token = ""] = made.html.match(/scim_[0-9A-Za-z]{40}/) ?? [];
  expect(made.status).toBe(201);
  const of = (await call("GET", `/tenant/connections/${id}`, director)).body.data;
  expect(of).toMatchObject({ kind: "directory", state: "active", needsReview: true, name: "Acme's people" });
  const directory = { connection: { id, tenantId: director.tenantId, domain: "" }, token };
  expect((await scim(directory, "GET", "/Users")).status).toBe(403);
  await mailTo(director.email, /waits for you/);
  await call("POST", `/tenant/connections/${id}/activate`, director);
  expect((await scim(directory, "GET", "/Users")).status).toBe(200);
  expect((await get("/connections")).status).toBe(403);
});

test("a link for the directory and the connection says which one to make first", async () => {
  const { get, post } = await openedSetupLink(await signUpVerified(), { may: ["directory", "connection"] });
  expect((await get("/directories")).html).toContain('href="/setup/connections"');
  const { location } = await post("/connections/new/directory", { name: "Acme" });
  const shown = await get(location?.slice("/setup".length) ?? "");
  expect(shown.html).toContain("its directory is refused");
});
