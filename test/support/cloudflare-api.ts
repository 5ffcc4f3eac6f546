/**
 * A stand-in for the part of Cloudflare's API that wrangler calls during a deployment. It keeps databases in SQLite and
 * the rest in memory.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { Configuration } from "../../.scripts/deploy/configuration.ts";

export const ACCOUNT = "0123456789abcdef0123456789abcdef";

interface Call {
  method: string;
  /** The path below the account. */
  path: string;
  query: URLSearchParams;
  body: string;
}

/** What a call returns: the `result` of the API's answer, or a failure. */
type Outcome = { result: unknown } | { status: number; code: number; message: string };

const missing = (code: number, message: string): Outcome => ({ status: 404, code, message });

export class CloudflareApi {
  readonly databases = new Map<string, { name: string; data: DatabaseSync }>();
  /** The consumers of each queue, as wrangler set them. */
  readonly queues = new Map<string, object[]>();
  schedules = "";
  readonly secrets: string[] = [];
  /** The tags of the versions, oldest first. The newest serves all requests. */
  readonly versions: string[] = [];
  /** The beginning of `METHOD path` of a call that fails once. */
  failsAt: string | undefined;

  readonly #server = createServer((request, response) => {
    void this.#answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/client/v4`;
  }

  /** Everything that a deployment leaves behind, for comparisons. */
  state() {
    const { queues, schedules, versions, secrets } = this;
    const databases = [...this.databases.values()].map(({ name, data }) => {
      const { length } = data.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").all();
      const rows = length === 0 ? [] : data.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
      return { name, migrations: rows.map((row) => row.name) };
    });
    return structuredClone({ databases, queues: Object.fromEntries(queues), schedules, versions, secrets });
  }

  /** Does what `wrangler` would do with these arguments, for tests of when it is called. */
  wrangler([command, ...rest]: readonly string[], configuration: Configuration, migrations: readonly string[]): void {
    if (command === "d1")
      this.#migrate(configuration.databases.find(({ binding }) => binding === rest[2])?.id, migrations);
    if (command === "deploy") {
      this.versions.push(rest[rest.indexOf("--tag") + 1] ?? "");
      if (rest.includes("--secrets-file")) this.secrets.push("SECRET_KEYS");
    }
  }

  #migrate(id: string | undefined, migrations: readonly string[]): void {
    const data = this.databases.get(id ?? "")?.data;
    if (!data) throw new Error(`there is no database ${id}`);
    data.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    for (const name of migrations) data.prepare("INSERT OR IGNORE INTO d1_migrations (name) VALUES (?)").run(name);
  }

  close(): void {
    this.#server.close();
    for (const { data } of this.databases.values()) data.close();
  }

  async #answer(request: IncomingMessage) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://api");
    const call = {
      method: request.method ?? "",
      path: pathname.replace(`/client/v4/accounts/${ACCOUNT}`, ""),
      query: searchParams,
      body: Buffer.concat(parts).toString("latin1"),
    };
    const outcome = this.#outcome(call);
    if ("result" in outcome)
      return { status: 200, body: { success: true, errors: [], messages: [], ...page(outcome.result) } };
    const { status, code, message } = outcome;
    return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
  }

  #outcome(call: Call): Outcome {
    const name = `${call.method} ${call.path}`;
    if (this.failsAt !== undefined && name.startsWith(this.failsAt)) {
      this.failsAt = undefined;
      return { status: 403, code: 10_000, message: "Refused by the test" };
    }
    const query = name.match(/^POST \/d1\/database\/([^/]+)\/query$/)?.[1];
    if (query !== undefined) return this.#query(query, call.body);
    if (name === "GET /d1/database")
      return { result: [...this.databases].map(([uuid, { name: of }]) => ({ uuid, name: of })) };
    if (name === "POST /d1/database") return this.#createDatabase(call.body);
    if (name.startsWith("GET /d1/database/")) return this.#database(call.path.split("/")[3] ?? "");
    if (name === "GET /queues") return { result: this.#listQueues(call.query) };
    if (name === "POST /queues") return this.#createQueue(call.body);
    const consumed = name.match(/^(?:POST|PUT) \/queues\/([^/]+)\/consumers/)?.[1];
    if (consumed !== undefined) return this.#setConsumer(consumed, call.body);
    return this.#worker(name, call.body);
  }

  #database(uuid: string): Outcome {
    const database = this.databases.get(uuid);
    return database
      ? { result: { uuid, name: database.name, version: "production" } }
      : missing(7404, "No such database");
  }

  #createDatabase(body: string): Outcome {
    return this.#database(this.create((JSON.parse(body) as { name: string }).name));
  }

  /** Creates an empty database, and returns its id. */
  create(name: string): string {
    const uuid = randomUUID();
    this.databases.set(uuid, { name, data: new DatabaseSync(":memory:") });
    return uuid;
  }

  #query(uuid: string, body: string): Outcome {
    const data = this.databases.get(uuid)?.data;
    if (!data) return missing(7404, "No such database");
    const { sql, params = [] } = JSON.parse(Buffer.from(body, "latin1").toString()) as {
      sql: string;
      params?: string[];
    };
    try {
      if (params.length > 0) return { result: [{ results: data.prepare(sql).all(...params), success: true }] };
      const results = /^\s*(select|pragma)/i.test(sql) ? data.prepare(sql).all() : [];
      if (results.length === 0) data.exec(sql);
      return { result: [{ results, success: true, meta: { duration: 1 } }] };
    } catch (error) {
      return { status: 400, code: 7500, message: String(error) };
    }
  }

  #listQueues(query: URLSearchParams) {
    const wanted = query.getAll("name");
    const found = [...this.queues].filter(([queue]) => wanted.length === 0 || wanted.includes(queue));
    return found.map(([queue, consumers]) => ({ queue_id: queue, queue_name: queue, producers: [], consumers }));
  }

  #createQueue(body: string): Outcome {
    const { queue_name: queue } = JSON.parse(body) as { queue_name: string };
    this.queues.set(queue, []);
    return { result: { queue_id: queue, queue_name: queue } };
  }

  /** A queue has one consumer. */
  #setConsumer(queue: string, body: string): Outcome {
    const consumer = { ...(JSON.parse(body) as { script_name: string }), consumer_id: "consumer" };
    this.queues.set(queue, [{ ...consumer, script: consumer.script_name }]);
    return { result: consumer };
  }

  #worker(name: string, body: string): Outcome {
    const exists = this.versions.length > 0;
    if (name.startsWith("PUT /workers/scripts/postern") && !/\/(schedules|subdomain)/.test(name))
      return this.#upload(body);
    if (name === "GET /workers/services/postern") {
      const script = { last_deployed_from: "wrangler", tag: "tag", tags: null };
      return exists
        ? { result: { default_environment: { environment: "production", script } } }
        : missing(10_090, "Not found");
    }
    if (name.endsWith("/scripts/postern/secrets")) {
      return exists
        ? { result: this.secrets.map((secret) => ({ name: secret, type: "secret_text" })) }
        : missing(10_007, "This Worker does not exist on your account.");
    }
    if (name.endsWith("/deployments")) {
      const versions = [{ version_id: String(this.versions.length - 1), percentage: 100 }];
      return exists ? { result: { deployments: [{ id: "d", versions }] } } : missing(10_007, "Not found");
    }
    const version = name.match(/^GET .*\/versions\/(\d+)$/)?.[1];
    if (version !== undefined) {
      const tag = this.versions[Number(version)];
      return {
        result: { id: version, metadata: {}, annotations: { "workers/tag": tag }, resources: { bindings: [] } },
      };
    }
    if (name === "GET /workers/scripts/postern/settings") {
      return exists ? { result: { bindings: [] } } : missing(10_007, "Not found");
    }
    if (name === "GET /workers/workers/postern") {
      return { result: { id: "postern", subdomain: { enabled: exists, previews_enabled: false } } };
    }
    if (name === "PUT /workers/scripts/postern/schedules") this.schedules = body;
    if (name.endsWith("/assets-upload-session")) return { result: { jwt: "jwt", buckets: [] } };
    return { result: name.endsWith("/subdomain") ? { subdomain: "test", enabled: true, previews_enabled: false } : [] };
  }

  /** The body is a form; its part `metadata` is JSON. */
  #upload(body: string): Outcome {
    const metadata = JSON.parse(body.match(/name="metadata"[^{]*(\{.*?\})\r\n/s)?.[1] ?? "{}") as {
      annotations?: Record<string, string>;
      bindings?: { name: string; type: string }[];
    };
    this.versions.push(metadata.annotations?.["workers/tag"] ?? "");
    const secrets = (metadata.bindings ?? []).filter(({ type }) => type === "secret_text");
    this.secrets.push(...secrets.map(({ name }) => name));
    return { result: { id: "postern", etag: "etag", startup_time_ms: 1, deployment_id: "d" } };
  }
}

const page = (result: unknown) => {
  const count = Array.isArray(result) ? result.length : 1;
  return { result, result_info: { page: 1, per_page: 100, count, total_count: count, total_pages: 1 } };
};
