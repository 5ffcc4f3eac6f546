/** Random and hostile changes of people: against a model that knows no grammar, and with their steps counted. */
import { afterEach, expect, test } from "vitest";
import { ENTERPRISE } from "../../src/directory/protocol/kinds";
import { patchUser } from "../../src/directory/protocol/patch-user";
import type { DirectoryUser } from "../../src/directory/protocol/user";

/** A person as places and texts: what the model knows. */
type Flat = Map<string, string>;

const PLACES = [
  "displayName",
  "title",
  "name.givenName",
  "name.familyName",
  "x.department",
  "x.division",
  "@work",
  "@home",
];

const EXTENSION = `${ENTERPRISE}:`;
const pathOf = (place: string) => place.replace("x.", EXTENSION).replace(/@(\w+)/, 'emails[type eq "$1"].value');

/** Numbers that come again with the same seed (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** One operation, in one of the forms that directories send, and what it does to the model. */
function randomOperation(random: (below: number) => number, model: Flat): unknown {
  const place = PLACES[random(PLACES.length)] ?? "";
  const value = String(random(4));
  const path = random(3) === 0 ? pathOf(place).toUpperCase() : pathOf(place);
  switch (random(6)) {
    case 0:
      model.delete(place);
      return { op: "Remove", path };
    case 1:
      model.delete(place);
      return { op: "replace", path, value: random(2) === 0 ? null : "" };
    case 2: {
      const other = PLACES[random(PLACES.length)] ?? "";
      model.set(place, value).set(other, value);
      return { op: "add", value: { [path]: value, [pathOf(other)]: [value] } };
    }
    case 3:
      return { op: "Add", path: `phoneNumbers[type eq "${place}"].value`, value };
    default:
      model.set(place, value);
      return { op: random(2) === 0 ? "Add" : "rEPLACE", path, value };
  }
}

function flatOf({ displayName, title, name, emails = [], [ENTERPRISE]: extension }: DirectoryUser): Flat {
  const { givenName, familyName } = name ?? {};
  const { department, division } = extension ?? {};
  const values = { displayName, title, "name.givenName": givenName, "name.familyName": familyName };
  const all = { ...values, "x.department": department, "x.division": division };
  const addresses = emails.map(({ type, value }) => [`@${type?.toLowerCase()}`, value] as const);
  return new Map([
    ...Object.entries(all).flatMap(([place, text]) => (text ? [[place, text] as const] : [])),
    ...addresses,
  ]);
}

const sorted = (flat: Flat) => JSON.stringify([...flat].sort());

test("2,000 random changes say what the model says", () => {
  const random = randomFrom(7_644);
  const model: Flat = new Map();
  const wrong: unknown[] = [];
  let record: DirectoryUser = { userName: "anna", active: true };
  for (let i = 0; i < 2_000; i += 1) {
    const Operations = Array.from({ length: random(4) }, () => randomOperation(random, model));
    record = patchUser({ id: "1", version: 1, createdAt: 0, updatedAt: 0, groups: [], record }, { Operations });
    if (sorted(flatOf(record)) !== sorted(model)) wrong.push({ Operations, record, model: sorted(model) });
  }
  expect(wrong).toEqual([]);
});

const lowerCase = Object.getOwnPropertyDescriptor(String.prototype, "toLowerCase") ?? {};

afterEach(() => {
  Object.defineProperty(String.prototype, "toLowerCase", lowerCase);
});

/** How often texts are compared while the operations change a full record. */
function stepsOf(operations: unknown[]): number {
  const emails = Array.from({ length: 240 }, (_, i) => ({ value: `${i}@x.example`, type: "a" }));
  const record = { userName: "anna", active: true, emails };
  let steps = 0;
  function counting(this: string): string {
    steps += 1;
    return lowerCase.value.call(this);
  }
  Object.defineProperty(String.prototype, "toLowerCase", { ...lowerCase, value: counting });
  try {
    patchUser({ id: "1", version: 1, createdAt: 0, updatedAt: 0, groups: [], record }, { Operations: operations });
  } catch (error) {
    expect(error).toMatchObject({ name: "ScimError" });
  }
  return steps;
}

test("the largest requests take steps in proportion to their size", () => {
  const many = (count: number, path: string, value: unknown) =>
    Array.from({ length: count }, () => ({ op: "add", path, value }));
  const list = Array.from({ length: 580 }, (_, i) => ({ value: String(i) }));
  const names = Array.from({ length: 1_000 }, (_, i) => `emails[type eq "a" and value eq "${i}"].display`);
  // 100 lists of all the values that a record may have, and 1,000 selections among them.
  expect(stepsOf(many(100, "emails", list))).toBeLessThan(500_000);
  expect(stepsOf([{ op: "add", value: Object.fromEntries(names.map((name) => [name, "a"])) }])).toBeLessThan(2_500_000);
  expect(stepsOf(many(100, `emails${"[a".repeat(1_000)}`, "a"))).toBeLessThan(1_000);
  expect(stepsOf(many(100, `name${".a".repeat(1_000)}`, "a"))).toBeLessThan(3_000);
});
