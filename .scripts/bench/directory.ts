/**
 * A directory of 100,000 people by SCIM: the last 2,000 come by requests, the others are seeded. Then its pages, its
 * look-ups, a group of 2,000, and people who leave.
 */
import { createAccount } from "./account.ts";
import type { Cost } from "./counting.ts";
import type { Database } from "./database.ts";
import { type BenchDirectory, createDirectory, seededId, seedPeople, seedSessions } from "./directory-seed.ts";
import { type Answer, type Call, closedLoop, createClient, type Operation } from "./load.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import { type Service, serve } from "./serve.ts";
import { median, percentile } from "./statistics.ts";

const SEEDED = 98_000;
const COMING = 2_000;
const IN_GROUP = 2_000;
const PAGE = 200;
const LEAVING = 4_000;
const LOOK_UPS = 300;
const GROUP_CHANGES = 50;
/** A busy machine measures less, not for longer. */
const MOST_MS = 12_000;
const PER_MINUTE = 3_000;

const number = (value: number): string => value.toLocaleString("en");

/** What is counted while an operation runs. */
interface Scene {
  run: Run;
  service: Service;
  directory: BenchDirectory;
  results: Result[];
}

/** The rows of the table, and what to print below it. */
export async function measureDirectory(run: Run): Promise<{ results: Result[]; lines: string[] }> {
  const service = await serve(run.bundles, {
    worker: "counted",
    deliver: false,
    isInMemory: true,
    variables: { PUBLIC_URL: "https://postern.example" },
  });
  const client = createClient(service.base, run.concurrency);
  try {
    const { database } = service;
    const directory = await createDirectory(await createAccount(client), database);
    const scene: Scene = { run, service, directory, results: [] };
    const [seeded, coming, leaving] = [run.scaled(SEEDED), run.scaled(COMING), run.scaled(LEAVING)];
    const before = await bytesOf(database);
    run.progress(`directory: seeding ${seeded} people`);
    await seedPeople(database, directory, seeded);
    const beside = await bytesOf(database);
    await arrive(scene, coming);
    const bytes = { all: (await bytesOf(database)) - before, coming: (await bytesOf(database)) - beside };
    const pageBytes = await readAll(scene);
    await lookUp(scene, seeded);
    await changeGroup(scene, Math.min(run.scaled(IN_GROUP), seeded));
    await seedSessions(database, directory, leaving);
    const left = await leave(scene, leaving);
    return { results: scene.results, lines: [storedLine(bytes, { all: seeded + coming, coming }, pageBytes), left] };
  } finally {
    client.close();
    await service.stop();
  }
}

type Sent = (index: number) => Call;

/** Sends requests, and adds a row with their times and their costs. */
async function measure(
  { run, directory: { client, connectionId, headers }, results }: Scene,
  name: string,
  sent: Sent,
  more: { count: number; status?: number; concurrency?: number; read?: (answer: Answer) => void },
): Promise<Result> {
  const { count, status = 200, concurrency = run.concurrency, read } = more;
  const operation: Operation = {
    name,
    client,
    status,
    call: (index) => {
      const { path, ...call } = sent(index);
      return { ...call, path: `/scim/v2/${connectionId}${path}`, headers };
    },
    ...(read && { read }),
  };
  run.progress(`directory: ${name}`);
  await countersOf(client);
  const { opsPerSecond, latenciesMs } = await closedLoop(operation, { from: 0, count, concurrency, maxMs: MOST_MS });
  const { trips, rowsRead, rowsWritten } = await countersOf(client);
  const n = latenciesMs.length;
  const result: Result = {
    operation: `directory: ${name}`,
    count: n,
    opsPerSecond,
    p50Ms: median(latenciesMs),
    p99Ms: percentile(latenciesMs, 0.99),
    cost: { trips: trips / n, rowsRead: rowsRead / n, rowsWritten: rowsWritten / n },
  };
  results.push(result);
  return result;
}

/** What the requests since the last call have cost. */
async function countersOf(client: BenchDirectory["client"]): Promise<Cost> {
  return (JSON.parse((await client.send({ path: "/bench/counters" })).text) as { http: Cost }).http;
}

/** Each person is looked for first, as directories do. */
async function arrive(scene: Scene, count: number): Promise<void> {
  const { domain } = scene.directory;
  const addressOf = (index: number) => `new-${index}@${domain}`;
  const looked: Sent = (index) => ({ path: `/Users?${filter(`userName eq "${addressOf(index)}"`)}` });
  await measure(scene, "look-up of nobody", looked, { count: Math.min(count, LOOK_UPS) });
  const post: Sent = (index) => ({
    method: "POST",
    path: "/Users",
    body: {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      externalId: `new-ext-${index}`,
      userName: addressOf(index),
      displayName: "Grace Hopper",
      name: { givenName: "Grace", familyName: "Hopper" },
      emails: [{ value: addressOf(index), type: "work", primary: true }],
      active: true,
    },
  });
  await measure(scene, "POST of a person", post, { count, status: 201 });
}

const filter = (text: string): string => `filter=${encodeURIComponent(text)}`;

/** All people by cursor, one page after the other, and pages by index. Returns the bytes of a page. */
async function readAll(scene: Scene): Promise<number> {
  const { directory, run } = scene;
  let [cursor, bytes]: [string | undefined, number] = ["", 0];
  const read = ({ text }: Answer) => {
    bytes = Math.max(bytes, Buffer.byteLength(text));
    cursor = (JSON.parse(text) as { nextCursor?: string }).nextCursor;
  };
  const people = await totalOf(directory);
  const page: Sent = () => ({ path: `/Users?count=${PAGE}&cursor=${cursor ?? ""}` });
  const count = Math.ceil(people / PAGE);
  await measure(scene, `all, ${PAGE} a page by cursor`, page, { count, concurrency: 1, read });
  if (cursor !== undefined) run.progress("directory: the pages by cursor were not read to the end");
  for (const place of [1, people / 2, people - 100]) {
    const startIndex = Math.max(1, Math.round(place));
    const byIndex: Sent = () => ({ path: `/Users?count=100&startIndex=${startIndex}` });
    await measure(scene, `100 from ${number(startIndex)}`, byIndex, { count: run.scaled(GROUP_CHANGES) });
  }
  return bytes;
}

async function totalOf({ client, connectionId, headers }: BenchDirectory): Promise<number> {
  const { text } = await client.send({ path: `/scim/v2/${connectionId}/Users?count=0`, headers });
  return (JSON.parse(text) as { totalResults: number }).totalResults;
}

async function lookUp(scene: Scene, seeded: number): Promise<void> {
  const { domain } = scene.directory;
  const count = scene.run.scaled(LOOK_UPS);
  const by = (name: string, termOf: (i: number) => string) => {
    const sent: Sent = (index) => ({ path: `/Users?${filter(termOf((index * 331) % seeded))}` });
    return measure(scene, `look-up by ${name}`, sent, { count });
  };
  await by("userName", (i) => `userName eq "person-${i}@${domain}"`);
  await by("externalId", (i) => `externalId eq "ext-${i}"`);
  await by("address", (i) => `emails[type eq "work"].value eq "person-${i}@${domain}"`);
}

/** The group is made as a whole, and then people come and go one by one. */
async function changeGroup(scene: Scene, size: number): Promise<void> {
  const { run } = scene;
  const members = Array.from({ length: size }, (_, i) => ({ value: seededId(i) }));
  let id = "";
  const read = ({ text }: Answer) => {
    ({ id } = JSON.parse(text) as { id: string });
  };
  const made: Sent = () => ({ method: "POST", path: "/Groups", body: { displayName: "Everybody", members } });
  await measure(scene, `POST of a group of ${number(size)}`, made, { count: 1, status: 201, concurrency: 1, read });
  const count = Math.min(run.scaled(GROUP_CHANGES), size);
  const patch =
    (operation: (index: number) => object): Sent =>
    (index) => ({
      method: "PATCH",
      path: `/Groups/${id}`,
      body: { Operations: [operation(index)] },
    });
  const leaves = patch((index) => ({ op: "remove", path: `members[value eq "${seededId(index)}"]` }));
  await measure(scene, "one leaves the group", leaves, { count, status: 204 });
  const comes = patch((index) => ({ op: "add", path: "members", value: [{ value: seededId(index) }] }));
  await measure(scene, "one comes into the group", comes, { count, status: 204 });
  await measure(scene, "GET of the group", () => ({ path: `/Groups/${id}` }), { count });
  const all = { Operations: [{ op: "replace", path: "members", value: members }] };
  const repeated: Sent = () => ({ method: "PATCH", path: `/Groups/${id}`, body: all });
  await measure(scene, "all members again", repeated, { count: 1, status: 204, concurrency: 1 });
}

/** Each has a session, which ends. Returns how long all would take. */
async function leave(scene: Scene, count: number): Promise<string> {
  const { run, service } = scene;
  const body = { Operations: [{ op: "replace", path: "active", value: false }] };
  const sent: Sent = (index) => ({ method: "PATCH", path: `/Users/${seededId(index)}`, body });
  const { count: left, opsPerSecond } = await measure(scene, "one leaves", sent, { count });
  const row = await service.database
    .prepare("SELECT count(*) AS sessions, (SELECT count(*) FROM revocations) AS revocations FROM sessions")
    .first<{ sessions: number; revocations: number }>();
  const people = run.scaled(SEEDED) + run.scaled(COMING);
  return (
    `${number(left)} people with a session each left at ${opsPerSecond.toFixed(0)} a second; ` +
    `${number(people)} would take ${(people / opsPerSecond / 60).toFixed(1)} minutes at that rate, and ` +
    `${(people / PER_MINUTE).toFixed(0)} at the limit of ${number(PER_MINUTE)} requests a minute. ` +
    `${number(row?.revocations ?? 0)} revocations and ${number(row?.sessions ?? 0)} sessions are left.`
  );
}

const bytesOf = async (database: Database): Promise<number> =>
  (await database.prepare("SELECT 1").run()).meta.size_after;

interface Counts {
  all: number;
  /** Of those who came by requests. */
  coming: number;
}

const storedLine = (bytes: Counts, people: Counts, pageBytes: number): string =>
  `${number(people.all)} people with accounts and memberships take ${(bytes.all / 1e6).toFixed(0)} MB, ` +
  `${number(Math.round(bytes.all / people.all))} bytes each; with the events of those who came by requests ` +
  `${number(Math.round(bytes.coming / people.coming))}. A page of ${PAGE} has ` +
  `${number(Math.round(pageBytes / 1024))} KiB.`;
