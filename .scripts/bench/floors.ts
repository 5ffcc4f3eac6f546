/** What the runtime alone costs: requests to the floor Worker that runs beside the Worker under test. */
import { type Client, createClient, type Operation } from "./load.ts";
import type { Service } from "./serve.ts";

const FLOORS = {
  json: "empty JSON route",
  select: "one D1 select by key",
  "two-selects": "two D1 selects, one after the other",
  insert: "one D1 insert",
  batch: "one D1 batch of 100 inserts",
  argon2id: "one argon2id hash",
  "durable-object": "one Durable Object call",
} as const;

export type FloorRoute = keyof typeof FLOORS;

/** Requests per round. */
const COUNTS: Record<FloorRoute, number> = {
  json: 1000,
  select: 400,
  "two-selects": 300,
  insert: 300,
  batch: 30,
  argon2id: 18,
  "durable-object": 500,
};

interface Floor {
  operation: Operation;
  count: number;
}

export type Floors = Record<FloorRoute, Floor> & { client: Client };

export function floorsOf({ floorBase }: Service, concurrency: number): Floors {
  const client = createClient(floorBase, concurrency);
  const floor = (route: FloorRoute): Floor => ({
    operation: { name: FLOORS[route], client, status: 200, call: () => ({ path: `/${route}` }) },
    count: COUNTS[route],
  });
  return {
    client,
    json: floor("json"),
    select: floor("select"),
    "two-selects": floor("two-selects"),
    insert: floor("insert"),
    batch: floor("batch"),
    argon2id: floor("argon2id"),
    "durable-object": floor("durable-object"),
  };
}
