/** What operators see of the directory of a tenant. */
import { expect, test } from "vitest";
import { call } from "../support/client";
import { holding } from "../support/console";
import { operate, operator } from "../support/operators";
import { bring, newDirectory, scim } from "../support/scim";

test("the page of a tenant shows what its directory has, when it last called, and its work", async () => {
  const op = await operator();
  const directory = await newDirectory();
  const { id, tenantId } = directory.connection;
  await bring(directory);
  await scim(directory, "POST", "/Groups", { body: { displayName: "Staff" } });
  const rules = [{ group: "Staff", role: "viewer" }];
  const body = { roles: { rules } };
  await call("PATCH", `/tenant/connections/${id}`, { token: directory.owner.token, body });
  const { data } = (await operate(op, "GET", `/tenants/${tenantId}`)).body;
  const counts = { active: 1, inactive: 0, held: 0, groups: 1, lastRequestAt: expect.any(String) };
  expect(data.signOn.connections[0].directory).toEqual(counts);
  expect(data.signOn.jobs).toEqual([{ connectionId: id, kind: "roles", parts: 1, since: expect.any(String) }]);
  const { html } = await (await holding(op)).get(`/operator/tenants/${tenantId}`);
  expect(html).toMatch(/Directory: 1 active, 0 inactive, 0 held, 1 groups.*last call/s);
  expect(html).toContain("Roles by the rules");
});
