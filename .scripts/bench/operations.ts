/** What a client can ask of the Worker, each with the floor that it is compared with. */
import {
  type Account,
  ask,
  bearer,
  createAccount,
  dataOf,
  payloadOf,
  publishCall,
  subscribe,
  type Tokens,
} from "./account.ts";
import type { FloorRoute } from "./floors.ts";
import type { Client, Operation } from "./load.ts";
import { createStock } from "./sessions.ts";

const LISTED_WEBHOOKS = 10;
const LISTED_SESSIONS = 5;
const FAN_OUTS = [1, 10, 200];
const BATCH_EVENTS = 100;

export interface Row {
  operation: Operation;
  /** Requests per round. */
  count: number;
  floor: FloorRoute;
  /** The target: the least ratio to the floor. */
  atLeast?: number;
  /** Whether it is compared with the floor of the service whose deliveries stay in the outbox. */
  held?: boolean;
  /** Prepares for `requests` requests in all. */
  prepare?(requests: number): Promise<void>;
}

export interface Clients {
  /** Calls the service that does everything. */
  full: Client;
  /** Calls one whose deliveries stay in the outbox, to measure publishing alone. */
  held: Client;
  receiverUrl: string;
}

export async function createOperations({ full, held, receiverUrl }: Clients): Promise<Row[]> {
  return [
    { operation: health(full), count: 600, floor: "json" },
    ...sessionRows(full),
    ...(await readingRows(full, receiverUrl)),
    { operation: await creating(full, receiverUrl), count: 150, floor: "insert" },
    ...(await publishingRows(held, receiverUrl)),
  ];
}

const health = (client: Client): Operation => ({
  name: "GET /health",
  client,
  status: 200,
  call: () => ({ path: "/health" }),
});

function sessionRows(client: Client): Row[] {
  const { register, login, refresh, logout, fill } = createStock(client);
  return [
    { operation: register, count: 18, floor: "argon2id", atLeast: 0.85 },
    { operation: login, count: 18, floor: "argon2id", atLeast: 0.85, prepare: () => fill(0) },
    { operation: refresh, count: 200, floor: "insert", prepare: () => fill(100) },
    { operation: logout, count: 16, floor: "insert", prepare: (requests) => fill(requests) },
  ];
}

/** A tenant with ten webhooks, read by its owner and by a program. */
async function readingRows(client: Client, receiverUrl: string): Promise<Row[]> {
  const owner = await createAccount(client);
  const { email, password, headers } = owner;
  await subscribe(owner, "Listed", receiverUrl, LISTED_WEBHOOKS);
  for (let index = 1; index < LISTED_SESSIONS; index += 1) {
    await ask<Tokens>(client, { method: "POST", path: "/api/v1/auth/login", body: { email, password } });
  }
  const key = await createKey(owner, "webhook.read");
  const get = (name: string, path: string, credential: string, rows: number): Operation => ({
    name,
    client,
    status: 200,
    call: () => ({ path: `/api/v1${path}`, headers: bearer(credential) }),
    read: (answer) => {
      const found = dataOf<unknown[]>(answer).length;
      if (found !== rows) throw new Error(`${name}: ${found} rows, not ${rows}`);
    },
  });
  const list = "list of 10 webhooks";
  const check: Operation = {
    name: "session check",
    client,
    status: 200,
    call: () => ({ path: "/api/v1/auth/me", headers }),
  };
  return [
    { operation: check, count: 200, floor: "two-selects" },
    {
      operation: get(`${list}, JWT`, "/webhooks", owner.accessToken, 10),
      count: 200,
      floor: "two-selects",
      atLeast: 0.6,
    },
    { operation: get(`${list}, API key`, "/webhooks", key, 10), count: 200, floor: "two-selects", atLeast: 0.6 },
    { operation: get("sessions list", "/auth/sessions", owner.accessToken, 5), count: 200, floor: "two-selects" },
  ];
}

async function createKey({ client, headers }: Account, scope: string): Promise<string> {
  const body = { name: "bench", scopes: [scope] };
  return (await ask<{ key: string }>(client, { method: "POST", path: "/api/v1/api-keys", headers, body })).key;
}

async function creating(client: Client, receiverUrl: string): Promise<Operation> {
  const { headers } = await createAccount(client);
  return {
    name: "webhook create",
    client,
    status: 201,
    call: (index) => ({
      method: "POST",
      path: "/api/v1/webhooks",
      headers,
      body: { name: `hook ${index}`, url: receiverUrl, events: ["Created"], secret: "bench secret" },
    }),
  };
}

async function publishingRows(client: Client, receiverUrl: string): Promise<Row[]> {
  const owner = await createAccount(client);
  for (const width of FAN_OUTS) await subscribe(owner, `To${width}`, receiverUrl, width);
  const program = { ...owner, headers: bearer(await createKey(owner, "event.publish")) };
  const publish = (width: number, name = `publish to ${width}`, publisher: Account = program): Operation => ({
    name,
    client,
    status: 202,
    call: (index) => publishCall(publisher, `To${width}`, index),
    read: (answer) => {
      const { deliveries } = dataOf<{ deliveries: number }>(answer);
      if (deliveries !== width) throw new Error(`published to ${deliveries}, not ${width}`);
    },
  });
  const batch: Operation = {
    name: `batch of ${BATCH_EVENTS} events, each to 1`,
    client,
    status: 202,
    call: (index) => ({
      method: "POST",
      path: "/api/v1/events/batch",
      headers: program.headers,
      body: {
        events: Array.from({ length: BATCH_EVENTS }, (_, n) => ({
          type: "To1",
          payload: payloadOf(index * BATCH_EVENTS + n),
        })),
      },
    }),
  };
  // The first publish reads the key.
  const prepare = async () => {
    await ask(client, publishCall(program, "To1", 0));
  };
  return [
    { operation: publish(1), count: 150, floor: "insert", held: true, prepare },
    { operation: publish(10), count: 150, floor: "insert", atLeast: 0.4, held: true, prepare },
    { operation: publish(10, "publish to 10, JWT", owner), count: 150, floor: "insert", held: true },
    { operation: publish(200), count: 20, floor: "batch", held: true, prepare },
    { operation: batch, count: 20, floor: "batch", atLeast: 0.5, held: true, prepare },
  ];
}
