/** The same requests over growing amounts of data: a service for each size, measured in rotation. */
import { type Account, createAccount, publishCall, subscribe, tenantOf } from "./account.ts";
import type { Bundles } from "./build.ts";
import { interleave, type Measured, ratioOf } from "./interleave.ts";
import { type Client, createClient, type Operation } from "./load.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import { seedHistory, seedSubscriptions } from "./seed.ts";
import { type Service, serve } from "./serve.ts";
import { median } from "./statistics.ts";

const SUBSCRIPTIONS = 10;
const TYPE = "Grown";
/** Requests per size and round: many short rounds, because the sizes should differ little. */
const REQUESTS = 16;
const MORE_ROUNDS = 3;
const MAX_GROWTH = 1.2;

interface Size {
  name: string;
  deliveries: number;
  /** Ten of these want what is published. */
  subscriptions: number;
  /** Delivery rows of another tenant. */
  beside: number;
}

/** The others are compared with the first one, whose pages are full. */
const SIZES: Size[] = [
  { name: "1,000 rows", deliveries: 1_000, subscriptions: SUBSCRIPTIONS, beside: 0 },
  { name: "100,000 rows", deliveries: 100_000, subscriptions: SUBSCRIPTIONS, beside: 0 },
  { name: "10,000 subscriptions", deliveries: 1_000, subscriptions: 10_000, beside: 0 },
  { name: "beside 1,000,000 rows", deliveries: 1_000, subscriptions: SUBSCRIPTIONS, beside: 1_000_000 },
];

interface Grown {
  service: Service;
  client: Client;
  operations: Operation[];
}

/** One row for each operation and size; its ratio is the p50 over that of the first size. */
export async function measureGrowth(run: Run): Promise<Result[]> {
  const grown: Grown[] = [];
  try {
    for (const size of SIZES) {
      run.progress(`growth: seeding ${size.name}`);
      grown.push(await grow(run.bundles, size, run.receiver.okUrl));
    }
    const results: Result[] = [];
    for (const index of grown[0]?.operations.keys() ?? []) {
      const turns = grown.flatMap(({ operations }) => operations[index] ?? []);
      run.progress(`growth: ${turns[0]?.name}`);
      const count = run.scaled(REQUESTS);
      const [first, ...others] = await interleave(
        turns.map((operation) => ({ operation, count })),
        { ...run, rounds: MORE_ROUNDS * run.rounds },
      );
      if (first) results.push(first, ...others.map((one) => compared(one, first)));
    }
    return results;
  } finally {
    for (const { client, service } of grown) {
      client.close();
      await service.stop();
    }
  }
}

const compared = (measured: Measured, first: Measured): Result => ({
  ...measured,
  floor: "p50 at 1,000 rows",
  ratio: ratioOf(measured.rounds, first.rounds, ({ latenciesMs }) => median(latenciesMs)),
  target: { atMost: MAX_GROWTH },
});

async function grow(bundles: Bundles, size: Size, receiverUrl: string): Promise<Grown> {
  const service = await serve(bundles, { deliver: false });
  const client = createClient(service.base, 8);
  const owner = await createAccount(client);
  const ids = await subscribe(owner, TYPE, receiverUrl, SUBSCRIPTIONS);
  const [subscriptionId = ""] = ids;
  const tenantId = await tenantOf(owner);
  const { database } = service;
  await seedHistory(database, { tenantId, subscriptionId, deliveries: size.deliveries, tag: "aaa" });
  if (size.subscriptions > SUBSCRIPTIONS) {
    await seedSubscriptions(database, subscriptionId, size.subscriptions - SUBSCRIPTIONS);
  }
  if (size.beside > 0) {
    const other = await createAccount(client);
    const [theirs = ""] = await subscribe(other, TYPE, receiverUrl, 1);
    const history = { tenantId: await tenantOf(other), subscriptionId: theirs, deliveries: size.beside, tag: "bbb" };
    await seedHistory(database, history);
  }
  return { service, client, operations: operationsOf(owner, subscriptionId, size.name) };
}

function operationsOf(owner: Account, subscriptionId: string, size: string): Operation[] {
  const { client, headers } = owner;
  const get = (name: string, path: string): Operation => ({
    name: `${name}, ${size}`,
    client,
    status: 200,
    call: () => ({ path: `/api/v1/webhooks/${subscriptionId}${path}`, headers }),
  });
  return [
    get("GET of one webhook", ""),
    get("logs", "/logs"),
    get("metrics", "/metrics"),
    { name: `publish to 10, ${size}`, client, status: 202, call: (index) => publishCall(owner, TYPE, index) },
  ];
}
