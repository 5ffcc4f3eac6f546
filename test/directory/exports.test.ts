/** What a directory has sent is in the exports of its tenant and of its people. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { bring, newDirectory, scim } from "../support/scim";
import { moveInto } from "../support/signed-on";

test("the exports of a tenant and of a person have the records of directories, with their groups", async () => {
  const directory = await newDirectory();
  const { owner, connection } = directory;
  const person = await moveInto(connection, await signUpVerified());
  const { id } = await bring(directory, { emails: [{ value: person.email, primary: true }], title: "Admiral" });
  const other = await bring(directory);
  await scim(directory, "POST", "/Groups", { body: { displayName: "Navy", members: [{ value: id }] } });
  const record = {
    connectionId: connection.id,
    id,
    userId: person.userId,
    state: "active",
    groups: ["Navy"],
    attributes: expect.objectContaining({ title: "Admiral" }),
  };
  const ofTenant = (await call("GET", "/tenant/export", { token: owner.token })).body.data;
  expect(ofTenant.directory).toEqual([record, expect.objectContaining({ id: other.id, groups: [] })]);
  expect(ofTenant.isComplete).toBe(true);
  const own = (await call("GET", "/auth/me/export", { token: person.token })).body.data;
  expect(own.directory).toEqual([record]);
});
