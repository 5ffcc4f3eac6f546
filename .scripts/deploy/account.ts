/** The Cloudflare account: what it has, and what is created in it. Its API answers faster than wrangler starts. */
import * as z from "zod";
import { wranglerOutput } from "./wrangler.ts";

const TIMEOUT_MS = 30_000;

const answers = z.object({
  errors: z.array(z.object({ message: z.string() })).nullish(),
  result: z.unknown(),
  result_info: z.object({ total_pages: z.number().optional() }).nullish(),
});
const logins = z.object({ token: z.string() });
const accounts = z.array(z.object({ id: z.string(), name: z.string() }));
const databases = z.array(z.object({ name: z.string(), uuid: z.string() }));
const answersOfQueries = z.tuple([z.object({ results: z.array(z.record(z.string(), z.unknown())) })]);
const queues = z.array(z.object({ queue_name: z.string() }));
const secrets = z.array(z.object({ name: z.string() }));
const deployments = z.object({
  deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })) })),
});
const versions = z.object({ annotations: z.record(z.string(), z.string()).optional() });

/** The version of a Worker that serves all requests. */
export interface RunningVersion {
  id: string;
  tag: string | undefined;
}

/** Cloudflare could not be asked: nobody is logged in, or there is no network. */
export class Unreachable extends Error {}

export class Account {
  readonly #token: string;
  /** The URL below which the API has everything of the account. */
  readonly #url: string;

  private constructor(token: string, url: string) {
    this.#token = token;
    this.#url = url;
  }

  /**
   * Uses the token of the environment or wrangler's login, and the account that the environment names or the only one.
   */
  static async open(): Promise<Account> {
    const { CLOUDFLARE_API_BASE_URL: base = "https://api.cloudflare.com/client/v4", CLOUDFLARE_ACCOUNT_ID: id } =
      process.env;
    const token = process.env.CLOUDFLARE_API_TOKEN ?? (await tokenOfLogin());
    if (id !== undefined) return new Account(token, `${base}/accounts/${id}`);
    const found = accounts.parse(await new Account(token, base).#list("/accounts"));
    if (found.length === 1) return new Account(token, `${base}/accounts/${found[0]?.id}`);
    const names = found.map((account) => `\n  ${account.id}  ${account.name}`).join("");
    throw new Error(`Set CLOUDFLARE_ACCOUNT_ID to one of your accounts:${names}`);
  }

  /** Returns the id of the D1 database of this name; undefined if there is none. */
  async databaseId(name: string): Promise<string | undefined> {
    const found = databases.parse(await this.#list(`/d1/database?name=${encodeURIComponent(name)}`));
    return found.find((database) => database.name === name)?.uuid;
  }

  async hasDatabase(id: string): Promise<boolean> {
    return (await this.#call("GET", `/d1/database/${id}`)) !== undefined;
  }

  async createDatabase(name: string): Promise<void> {
    await this.#call("POST", "/d1/database", { name });
  }

  /** Runs one statement in a database, and returns its rows. */
  async query(id: string, sql: string, params: readonly string[]): Promise<Record<string, unknown>[]> {
    const answer = await this.#call("POST", `/d1/database/${id}/query`, { sql, params });
    return answersOfQueries.parse(answer?.result)[0].results;
  }

  async queueNames(): Promise<Set<string>> {
    return new Set(queues.parse(await this.#list("/queues")).map((queue) => queue.queue_name));
  }

  async createQueue(name: string): Promise<void> {
    await this.#call("POST", "/queues", { queue_name: name });
  }

  /** Returns the names of a Worker's secrets. */
  async secretNames(worker: string): Promise<Set<string>> {
    const found = await this.#call("GET", `/workers/scripts/${worker}/secrets`);
    return new Set(secrets.parse(found?.result ?? []).map((secret) => secret.name));
  }

  /** Returns the version of a Worker that serves all requests; undefined if there is none. */
  async runningVersion(worker: string): Promise<RunningVersion | undefined> {
    const found = await this.#call("GET", `/workers/scripts/${worker}/deployments`);
    const [newest] = deployments.parse(found?.result ?? { deployments: [] }).deployments;
    const only = newest?.versions.find(({ percentage }) => percentage === 100);
    if (!only) return undefined;
    const version = await this.#call("GET", `/workers/scripts/${worker}/versions/${only.version_id}`);
    return { id: only.version_id, tag: versions.parse(version?.result ?? {}).annotations?.["workers/tag"] };
  }

  /** Reads all pages of a list. */
  async #list(path: string): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const answer = await this.#call("GET", `${path}${path.includes("?") ? "&" : "?"}page=${page}`);
      all.push(...z.array(z.unknown()).parse(answer?.result ?? []));
      pages = answer?.pages ?? 1;
    }
    return all;
  }

  /** Returns undefined where there is nothing at `path`. Throws with Cloudflare's own message when the call fails. */
  async #call(method: string, path: string, body?: object): Promise<{ result: unknown; pages: number } | undefined> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause) => {
      throw new Unreachable(`Cloudflare did not answer ${method} ${path}.`, { cause });
    });
    const text = await response.text();
    if (response.status === 404 && method === "GET") return undefined;
    const answer = answers.safeParse(parseOrNull(text)).data;
    if (!response.ok || !answer) {
      const words = answer?.errors?.map(({ message }) => message).join("; ") ?? text.slice(0, 200);
      throw new Error(`Cloudflare answered ${response.status} to ${method} ${path}: ${words}`);
    }
    return { result: answer.result, pages: answer.result_info?.total_pages ?? 1 };
  }
}

async function tokenOfLogin(): Promise<string> {
  try {
    return logins.parse(JSON.parse(await wranglerOutput("auth", "token", "--json"))).token;
  } catch (cause) {
    throw new Unreachable("Log in with `npx wrangler login` or set CLOUDFLARE_API_TOKEN.", { cause });
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
