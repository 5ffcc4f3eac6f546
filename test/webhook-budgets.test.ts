/** Every operation on webhooks and events costs one D1 round trip after the check of who calls. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import worker from "../src/index";
import { signUp } from "./support/client";
import { subscribe } from "./support/receiver";

const AUTH_TRIPS = 1;

/** D1 with its calls counted: a batch is one, and so is a statement that runs alone. */
function counted(database: D1Database) {
  const count = { trips: 0 };
  const statement = (inner: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(inner, {
      get(target, property) {
        if (property === "inner") return target;
        const value = Reflect.get(target, property);
        if (typeof value !== "function") return value;
        if (property === "bind") return (...values: unknown[]) => statement(target.bind(...values));
        return (...given: unknown[]) => {
          count.trips += 1;
          return value.apply(target, given);
        };
      },
    });
  const proxy = {
    prepare: (query: string) => statement(database.prepare(query)),
    batch: (statements: (D1PreparedStatement & { inner?: D1PreparedStatement })[]) => {
      count.trips += 1;
      return database.batch(statements.map((one) => one.inner ?? one));
    },
  };
  return { database: proxy as unknown as D1Database, count };
}

test.each([
  ["POST", "/webhooks", { name: "n", url: "http://receiver.example/200/b", events: ["Unheard"], secret: "s" }],
  ["GET", "/webhooks"],
  ["GET", "/webhooks/:id"],
  ["PATCH", "/webhooks/:id", { name: "other" }],
  ["PATCH", "/webhooks/:id", { events: ["A", "B"], secret: "new", url: "http://receiver.example/204/b" }],
  ["PATCH", "/webhooks/:id", {}],
  ["GET", "/webhooks/:id/logs"],
  ["GET", "/webhooks/:id/metrics"],
  ["POST", "/webhooks/:id/pause"],
  ["POST", "/webhooks/:id/resume"],
  ["POST", "/webhooks/:id/retry"],
  ["POST", "/webhooks/:id/test"],
  ["POST", "/events", { type: "Unheard", payload: 1 }],
  ["DELETE", "/webhooks/:id"],
] as [string, string, object?][])("%s %s %j", async (method, path, body) => {
  const person = await signUp();
  const id = await subscribe(person, "http://receiver.example/200/b", { events: ["Else"] });
  const { database, count } = counted(env.DB);
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(
    `http://postern.test/api/v1${path.replace(":id", id)}`,
    {
      method,
      headers: { authorization: `Bearer ${person.token}`, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : null,
    },
  );
  const response = await worker.fetch(request, { ...env, DB: database }, context);
  await response.text();
  expect(response.status).toBe(path.endsWith("/retry") ? 404 : response.ok ? response.status : 200);
  expect(count.trips).toBe(AUTH_TRIPS + 1);
  await waitOnExecutionContext(context);
});
