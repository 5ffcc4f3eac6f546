/** Lists of the people of a directory: filters, pages and what they find. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { bring, type Directory, deactivate, newDirectory, patch, scim } from "../support/scim";

let directory: Directory;
let domain: string;
const ids: string[] = [];

beforeAll(async () => {
  directory = await newDirectory();
  domain = directory.connection.domain;
  for (const name of ["ada", "alan", "grace"]) {
    const { id } = await bring(directory, {
      userName: `${name}@${domain}`,
      externalId: `ext-${name}`,
      displayName: `The ${name}`,
      emails: [
        { value: `${name}@${domain}`, type: "work", primary: true },
        { value: `${name}@home.example`, type: "home" },
      ],
    });
    ids.push(id);
  }
  await deactivate(directory, ids[2] ?? "");
});

const find = async (filter: string, more = "") => {
  const { body } = await scim(directory, "GET", `/Users?filter=${encodeURIComponent(filter)}${more}`);
  return [body.totalResults, body.Resources?.map(({ id }: { id: string }) => ids.indexOf(id))];
};

test.each([
  ['userName eq "ADA@{domain}"', [0]],
  ['userName eq "nobody"', []],
  ['externalId eq "ext-alan"', [1]],
  ['externalId eq "EXT-alan"', []],
  ['emails.value eq "alan@home.example"', [1]],
  ['emails[type eq "work"].value eq "alan@{domain}"', [1]],
  ['emails[type eq "work"].value eq "alan@home.example"', []],
  ['displayName eq "the ada"', [0]],
  ["active eq true", [0, 1]],
  ['active eq "False"', [2]],
  ['userName sw "a"', [0, 1]],
  ['userName co "LA"', [1]],
  ["displayName pr", [0, 1, 2]],
  ['meta.lastModified gt "2020-01-01T00:00:00Z"', [0, 1, 2]],
  ['meta.lastModified ge "2120-01-01T00:00:00Z"', []],
  ['userName sw "a" and displayName co "alan"', [1]],
])("finds by %s", async (filter, found) => {
  expect(await find(filter.replace("{domain}", domain))).toEqual([found.length, found]);
});

test("finds by each of three addresses, as they are after a change, and whom an earlier release has written", async () => {
  const address = (type: string) => ({ value: `Mary-${type}@elsewhere.example`, type });
  const { id } = await bring(directory, {
    userName: `mary@${domain}`,
    externalId: "ext-mary",
    emails: [{ value: `mary@${domain}`, type: "work", primary: true }, address("home"), address("other")],
  });
  ids.push(id);
  const found = (type: string) => find(`emails.value eq "mary-${type}@elsewhere.example"`);
  for (const type of ["home", "other"]) expect(await found(type)).toEqual([1, [3]]);
  expect((await patch(directory, id, { op: "remove", path: 'emails[type eq "home"]' })).status).toBe(200);
  expect([await found("home"), await found("other")]).toEqual([
    [0, []],
    [1, [3]],
  ]);
  await env.DB.prepare("UPDATE directory_users SET other_email = NULL, has_more_emails = 1 WHERE id = ?")
    .bind(id)
    .run();
  expect(await found("other")).toEqual([1, [3]]);
  await patch(directory, id, { op: "replace", path: "title", value: "Dr" });
  expect(await found("other")).toEqual([1, [3]]);
  await scim(directory, "DELETE", `/Users/${id}`);
  expect(await found("other")).toEqual([0, []]);
  ids.pop();
});

test("finds by id", async () => {
  expect(await find(`id eq "${ids[1]}"`)).toEqual([1, [1]]);
});

test("pages by index and by cursor have everybody once, and say how many there are", async () => {
  const at = (query: string) => scim(directory, "GET", `/Users?${query}`);
  const second = (await at("startIndex=2&count=1")).body;
  expect(second).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1, Resources: [{ id: ids[1] }] });
  expect((await at("count=0")).body).toMatchObject({ totalResults: 3, itemsPerPage: 0 });
  const first = (await at("cursor=&count=2")).body;
  const rest = (await at(`count=2&cursor=${first.nextCursor}`)).body;
  expect([...first.Resources, ...rest.Resources].map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(rest.nextCursor).toBeUndefined();
});

test("an answer has the attributes that are asked for", async () => {
  const { body } = await scim(directory, "GET", `/Users/${ids[0]}?attributes=userName,emails.value`);
  expect(body).toEqual({
    schemas: expect.any(Array),
    id: ids[0],
    userName: `ada@${domain}`,
    emails: [{ value: `ada@${domain}` }, { value: "ada@home.example" }],
  });
});
