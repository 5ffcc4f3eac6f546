/**
 * Whether the time of an answer reveals if an address has an account. Requests for known and unknown addresses
 * alternate, in a random order within each round, one at a time. A second group of unknown addresses shows by how much
 * two medians differ that measure the same.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createAccount } from "./account.ts";
import { type Call, type Client, createClient } from "./load.ts";
import type { Run } from "./run.ts";
import { type Service, serve } from "./serve.ts";
import { median } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const ROUNDS = 400;
/** Each address is used eight times: fewer than the ten wrong passwords that lock it. */
const ADDRESSES = 50;
/** Lets work after a response, such as the mail, end before the next request. */
const PAUSE_MS = 25;
const MAX_DIFFERENCE = 0.03;
const KINDS = ["known", "unknown", "control"] as const;

/**
 * Every public endpoint that takes an address. `resend-verification` takes none: it needs a session, and serves its own
 * user.
 */
const ENDPOINTS: { name: string; status: number; call(email: string): Call; domain?: string }[] = [
  {
    name: "login, wrong password",
    status: 401,
    call: (email) => post("login", { email, password: "a wrong pass phrase" }),
  },
  { name: "forgot-password", status: 200, call: (email) => post("forgot-password", { email }) },
  { name: "code", status: 200, call: (email) => post("code", { email }) },
  // Of a customer's domain, and of nobody's.
  { name: "sign-on/discover", status: 200, call: (email) => post("sign-on/discover", { email }) },
  {
    name: "sign-on/discover, where sign-on is required",
    status: 200,
    call: (email) => post("sign-on/discover", { email }),
    domain: "strict.example",
  },
  {
    name: "sign-on/discover, of a disabled connection",
    status: 200,
    call: (email) => post("sign-on/discover", { email }),
    domain: "disabled.example",
  },
  { name: "sign-on/mail", status: 200, call: (email) => post("sign-on/mail", { email }) },
];

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

/** In a random order. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

/** Makes the domains those of tenants that sign their people on, require it, or have their connection disabled. */
async function connect({ database }: Service): Promise<void> {
  const settings = JSON.stringify({ discovery: "known" });
  const tenants = [
    [DOMAIN, "active"],
    ["strict.example", "active"],
    ["disabled.example", "disabled"],
  ] as const;
  await database.batch(
    tenants.flatMap(([domain, state], nth) => [
      database
        .prepare(
          `INSERT INTO connections (id, tenant_id, name, kind, provider, state, version, generation, settings,
             created_at, updated_at) SELECT ?, id, 'c', 'oidc', 'other', ?, 1, 1, ?, 1, 1 FROM tenants
             ORDER BY id LIMIT 1 OFFSET ?`,
        )
        .bind(`c${nth}`, state, settings, nth),
      database
        .prepare(
          `INSERT INTO domains (tenant_id, domain, state, proved_by, proved_at, denied_days, created_at)
           SELECT id, ?, 'proved', 'platform', 1, 0, 1 FROM tenants ORDER BY id LIMIT 1 OFFSET ?`,
        )
        .bind(domain, nth),
    ]),
  );
  await database
    .prepare(
      `UPDATE tenants SET sign_on = 'domains', sign_on_from = 1, sign_on_begun_at = 1
       WHERE id = (SELECT tenant_id FROM domains WHERE domain = 'strict.example')`,
    )
    .run();
}

/** Of the addresses of `newPerson`. */
const DOMAIN = "example.com";

const post = (path: string, body: unknown): Call => ({ method: "POST", path: `/api/v1/auth/${path}`, body });

/** Prints both medians and their difference. */
export async function measureTiming(run: Run): Promise<void> {
  const service = await serve(run.bundles, { variables: { SIGN_ON: "on", PUBLIC_URL: "https://postern.example" } });
  const client = createClient(service.base, 1);
  const known: string[] = [];
  for (let n = 0; n < ADDRESSES; n += 1) known.push((await createAccount(client)).email);
  const addresses = {
    known,
    unknown: known.map((email) => email.replace("person", "nobody").replace(DOMAIN, "example.org")),
    control: known.map((email) => email.replace("person", "no-one").replace(DOMAIN, "example.org")),
  };
  await connect(service);
  const rows = [
    ["public endpoint with an address", "rounds", "known ms", "unknown ms", "difference", "of the same", ""],
  ];
  for (const { name, status, call, domain = DOMAIN } of ENDPOINTS) {
    const texts = new Set<string>();
    const times = { known: [] as number[], unknown: [] as number[], control: [] as number[] };
    for (let round = -run.scaled(ROUNDS) / 10; round < run.scaled(ROUNDS); round += 1) {
      const place = Math.abs(Math.floor(round)) % ADDRESSES;
      for (const kind of shuffled(KINDS)) {
        const address = addresses[kind][place] ?? "";
        const { ms, text } = await timed(client, call(address.replace(DOMAIN, domain)), status);
        if (round >= 0) times[kind].push(ms);
        if (name.startsWith("sign-on")) texts.add(text);
        await sleep(PAUSE_MS);
      }
    }
    if (texts.size > 1) throw new Error(`${name} answers addresses differently: ${[...texts].join(" ")}`);
    const [ofKnown, ofUnknown] = [median(times.known), median(times.unknown)];
    const difference = Math.abs(ofKnown - ofUnknown) / ofUnknown;
    const ofTheSame = Math.abs(median(times.control) - ofUnknown) / ofUnknown;
    const isMet = `< ${MAX_DIFFERENCE * 100} % ${verdict(difference < MAX_DIFFERENCE)}`;
    rows.push([
      name,
      String(times.known.length),
      figure(ofKnown),
      figure(ofUnknown),
      percent(difference),
      percent(ofTheSame),
      isMet,
    ]);
    run.progress(`timing of ${name}: ${percent(difference)}, of the same ${percent(ofTheSame)}`);
  }
  console.log(table(rows));
  client.close();
  await service.stop();
}

async function timed(client: Client, call: Call, status: number): Promise<{ ms: number; text: string }> {
  const sentMs = performance.now();
  const answer = await client.send(call);
  if (answer.status !== status) throw new Error(`${call.path}: ${answer.status} ${answer.text.slice(0, 200)}`);
  return { ms: performance.now() - sentMs, text: answer.text };
}
