/** Compares us with the peer, A B A B, in four things that a client can ask of both. */
import { countCosts } from "./counting.ts";
import { interleave, type Ratio, ratioOf } from "./interleave.ts";
import { closedLoop, createClient, type Operation } from "./load.ts";
import { createOperations, type Row } from "./operations.ts";
import { type Peer, startPeer } from "./peer.ts";
import { save } from "./report.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";
import { figure, ranged, table, verdict } from "./table.ts";

const LEAST_RATIO = 1.5;
const COUNTED_REQUESTS = 4;
/** The name of our operation, the peer's operation, and whether the target applies to the pair. */
const PAIRS: [ours: string, theirs: keyof Peer["operations"], targeted: boolean][] = [
  ["register", "signUp", true],
  ["login", "signIn", true],
  ["session check", "check", true],
  ["session check", "checkJoined", false],
  ["logout", "signOut", false],
];

const CAVEATS = `
ops/s, one local workerd each, closed loop; a difference under 20 % is within the noise of a shared machine.
The local D1 has no network: in production every round trip costs latency, so the trips carry over and the ops/s do not.
The peer hashes with scrypt (its default), we with argon2id: most of register and login is that choice.
"joins on" is an option of the peer that reads session and user in one statement; its default is the row before.
The peer limits no rates and sends no mail here; our limits are raised, not off, and our mails are queued and sent.`;

interface Pair {
  operation: string;
  peerOperation: string;
  opsPerSecond: number;
  peerOpsPerSecond: number;
  ratio: Ratio;
  targeted: boolean;
  trips: number;
  peerTrips: number;
}

/** Prints the comparison, or that there is no peer. */
export async function comparePeer(run: Run, folder: string, measuredOn: Record<string, unknown>): Promise<void> {
  const peer = await startPeer(folder, run.concurrency, run.progress);
  if (!peer) return console.log(`There is no peer in ${folder} (--peer PATH): nothing is compared.`);
  const service = await serve(run.bundles);
  try {
    run.progress("counting D1 round trips");
    const costs = await countCosts({ ...run, wants: (name) => PAIRS.some(([ours]) => ours === name) });
    const client = createClient(service.base, run.concurrency);
    const rows = await createOperations({ full: client, held: client, receiverUrl: run.receiver.okUrl });
    const pairs: Pair[] = [];
    for (const [ours, theirs, targeted] of PAIRS) {
      const row = rows.find(({ operation }) => operation.name === ours);
      if (!row) throw new Error(`there is no operation ${ours}`);
      const pair = await comparePair(run, row, peer, peer.operations[theirs]);
      pairs.push({ ...pair, targeted, trips: costs.get(ours)?.trips ?? Number.NaN });
      run.progress(`${ours}: ${ranged(pair.ratio)} times the ${pair.peerOperation}`);
    }
    client.close();
    console.log(table([HEAD, ...pairs.map(cells)]));
    console.log(CAVEATS);
    console.log(`Peer: ${JSON.stringify(peer.versions)}`);
    run.progress(`the figures are in ${save("peer.json", { ...measuredOn, peer: peer.versions, pairs })}`);
  } finally {
    await service.stop();
    await peer.stop();
  }
}

async function comparePair(
  run: Run,
  row: Row,
  peer: Peer,
  theirs: Operation,
): Promise<Omit<Pair, "targeted" | "trips">> {
  const count = run.scaled(row.count);
  await row.prepare?.(count * (run.rounds + 1) + run.concurrency);
  const turns = [
    { operation: row.operation, count },
    { operation: theirs, count },
  ];
  const [measured, reference] = await interleave(turns, run);
  if (!measured || !reference) throw new Error("nothing was measured");
  await peer.trips();
  await closedLoop(theirs, { from: 1_000_000, count: COUNTED_REQUESTS, concurrency: 1 });
  return {
    operation: measured.operation,
    peerOperation: reference.operation,
    opsPerSecond: measured.opsPerSecond,
    peerOpsPerSecond: reference.opsPerSecond,
    ratio: ratioOf(measured.rounds, reference.rounds),
    peerTrips: (await peer.trips()) / COUNTED_REQUESTS,
  };
}

const HEAD = ["A against B", "", "A ops/s", "B ops/s", "A / B", "target", "A trips", "B trips", "fewer"];

const cells = ({ operation, peerOperation, ratio, targeted, ...pair }: Pair) => [
  operation,
  peerOperation,
  figure(pair.opsPerSecond),
  figure(pair.peerOpsPerSecond),
  ranged(ratio),
  targeted ? `>= ${LEAST_RATIO} ${verdict(ratio.median >= LEAST_RATIO)}` : "",
  figure(pair.trips),
  figure(pair.peerTrips),
  targeted ? verdict(pair.trips < pair.peerTrips) : "",
];
