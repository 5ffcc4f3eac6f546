/** Runs simulated hours in the runtime, so that D1 counts the rows. Only `npm run simulate` uses this Worker. */
import { createShards } from "../../../src/platform/db/shards";
import { createDeps } from "../../../src/platform/deps";
import { SimulatedHour } from "./hour";
import { createMeter, metered } from "./meter";

export * from "../../../src";

export default {
  /** `POST /?shard=N&start=MS` simulates the hour that starts at `start` (Unix ms) on database N. */
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const [shard, startMs] = [Number(query.get("shard")), Number(query.get("start"))];
    const meter = createMeter();
    const name = shard === 0 ? "DB" : `SHARD_${shard}`;
    const database = (env as unknown as Record<string, D1Database | undefined>)[name];
    if (!database) return new Response(`${name} is not bound`, { status: 404 });
    const one = { [name]: metered(database, meter) };
    const deps = await createDeps(env, ctx);
    const hour = new SimulatedHour({ ...deps, shards: createShards(one, deps.trips) }, shard, meter, startMs);
    const result = await hour.run();
    return Response.json({ ...result, costs: meter.costs, sizeBytes: meter.sizeBytes });
  },
};
