/**
 * Whether the time of an answer reveals if an address has an account. Requests for known and unknown addresses
 * alternate, in a random order within each pair, one at a time.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createAccount } from "./account.ts";
import { type Call, type Client, createClient } from "./load.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";
import { median } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const PAIRS = 400;
/** Each address is used eight times: fewer than the ten wrong passwords that lock it. */
const ADDRESSES = 50;
/** Lets work after a response, such as the mail, end before the next request. */
const PAUSE_MS = 25;
const MAX_DIFFERENCE = 0.03;

/**
 * Every public endpoint that takes an address. `resend-verification` takes none: it needs a session, and serves its own
 * user.
 */
const ENDPOINTS: { name: string; status: number; call(email: string): Call }[] = [
  {
    name: "login, wrong password",
    status: 401,
    call: (email) => post("login", { email, password: "a wrong pass phrase" }),
  },
  { name: "forgot-password", status: 200, call: (email) => post("forgot-password", { email }) },
  { name: "code", status: 200, call: (email) => post("code", { email }) },
];

const post = (path: string, body: unknown): Call => ({ method: "POST", path: `/api/v1/auth/${path}`, body });

/** Prints both medians and their difference. */
export async function measureTiming(run: Run): Promise<void> {
  const service = await serve(run.bundles);
  const client = createClient(service.base, 1);
  const known: string[] = [];
  for (let n = 0; n < ADDRESSES; n += 1) known.push((await createAccount(client)).email);
  const unknown = known.map((email) => email.replace("person", "nobody"));
  const rows = [["public endpoint with an address", "pairs", "known ms", "unknown ms", "difference", ""]];
  for (const { name, status, call } of ENDPOINTS) {
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let pair = -run.scaled(PAIRS) / 10; pair < run.scaled(PAIRS); pair += 1) {
      const place = Math.abs(Math.floor(pair)) % ADDRESSES;
      const turns: ["known" | "unknown", string | undefined][] = [
        ["known", known[place]],
        ["unknown", unknown[place]],
      ];
      for (const [kind, email = ""] of Math.random() < 0.5 ? turns : turns.toReversed()) {
        const ms = await timed(client, call(email), status);
        if (pair >= 0) times[kind].push(ms);
        await sleep(PAUSE_MS);
      }
    }
    const [ofKnown, ofUnknown] = [median(times.known), median(times.unknown)];
    const difference = Math.abs(ofKnown - ofUnknown) / ofUnknown;
    const isMet = `< ${MAX_DIFFERENCE * 100} % ${verdict(difference < MAX_DIFFERENCE)}`;
    rows.push([
      name,
      String(times.known.length),
      figure(ofKnown),
      figure(ofUnknown),
      `${(difference * 100).toFixed(1)} %`,
      isMet,
    ]);
    run.progress(`timing of ${name}: ${(difference * 100).toFixed(1)} %`);
  }
  console.log(table(rows));
  client.close();
  await service.stop();
}

async function timed(client: Client, call: Call, status: number): Promise<number> {
  const sentMs = performance.now();
  const answer = await client.send(call);
  if (answer.status !== status) throw new Error(`${call.path}: ${answer.status} ${answer.text.slice(0, 200)}`);
  return performance.now() - sentMs;
}
