/** Runs simulated hours in the runtime, so that D1 counts the rows. Only `npm run simulate` uses this Worker. */
import { createShards } from "../../../src/base/db/shards";
import { createDeps } from "../../../src/base/deps";
import { SimulatedHour } from "./hour";
import { measureJobs, measurePurges } from "./jobs";
import { createMeter, metered } from "./meter";
import type { Line } from "./report";

export * from "../../../src";

export default {
  /**
   * `POST /?shard=N&start=MS&seconds=S` simulates the hour that starts at `start` (Unix ms) on database N, with traffic
   * in its first S seconds. The answer is a stream of lines, because an hour can take minutes. `POST /jobs` and
   * `POST /purges` measure the work on one full database.
   */
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url);
    if (pathname === "/jobs") return Response.json(await measureJobs(env, ctx));
    if (pathname === "/purges") return Response.json(await measurePurges(env, ctx, query.get("name") ?? ""));
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (line: Line) => writer.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    const [shard, startMs, seconds] = ["shard", "start", "seconds"].map((name) => Number(query.get(name)));
    const work = simulate(env, ctx, { shard: shard ?? 0, startMs: startMs ?? 0, seconds: seconds ?? 0 }, write)
      .catch((error: unknown) => write({ error: String(error) }))
      .finally(() => writer.close());
    ctx.waitUntil(work);
    return new Response(readable);
  },
};

async function simulate(
  env: Env,
  ctx: ExecutionContext,
  wanted: { shard: number; startMs: number; seconds: number },
  write: (line: Line) => Promise<void>,
): Promise<void> {
  const meter = createMeter();
  const name = wanted.shard === 0 ? "DB" : `SHARD_${wanted.shard}`;
  const bound = (env as unknown as Record<string, D1Database | undefined>)[name];
  if (!bound) throw new Error(`${name} is not bound`);
  const database = metered(bound, meter);
  const deps = await createDeps(env, ctx);
  const shards = createShards(new Map([[wanted.shard, database]]), deps.trips);
  const onMinute = (minute: Extract<Line, { minute: unknown }>["minute"]) => void write({ minute });
  const hour = new SimulatedHour({ ...deps, shards }, { ...wanted, meter, database, onMinute });
  const result = await hour.run();
  await write({ report: { ...result, costs: meter.costs, sizeBytes: meter.sizeBytes } });
}
