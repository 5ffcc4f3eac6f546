/** The service of the demo: `npm run dev` in a state folder of its own, with access to its output and its API. */
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DEFAULT_PORT = 8787;
const START_TIMEOUT_MS = 90_000;
const MAIL_TIMEOUT_MS = 20_000;
const POLL_MS = 50;
/** How much of the output an error shows. */
const LAST_CHARACTERS = 2_000;

export interface Service {
  url: string;
  /** The file with the output of the service. */
  logPath: string;
  /** Resolves to the whole output once the service has stopped and its folder is removed. */
  ended: Promise<string>;
  /**
   * Calls the API and returns `data`. `tenant` is the one to act in, with a platform key. Throws when the answer is not
   * a success.
   */
  call<T = Record<string, string>>(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    tenant?: string,
  ): Promise<T>;
  /** Waits for the next mail with a link to `page` and returns the token in it. */
  mailedToken(page: string): Promise<string>;
  /** Calls `listener` with each line of output. */
  onLine(listener: (line: string) => void): void;
}

/** Returns the default port or, when that is taken, a free one. */
export const choosePort = (): Promise<number> => portOf(DEFAULT_PORT).catch(() => portOf(0));

/**
 * Starts the service with these settings, and waits until it answers. It stops when `signal` aborts. Throws when it
 * stops before that.
 */
export async function startService(port: number, vars: Record<string, string>, signal: AbortSignal): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "postern-demo-"));
  const logPath = join(folder, "service.log");
  writeFileSync(logPath, "");
  const settings = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const flags = ["--port", String(port), "--inspector-port", "0", "--persist-to", join(folder, "state"), ...settings];
  const dev = spawn(process.execPath, [".scripts/dev.ts", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => void dev.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const ended = new Promise<void>((resolve) => dev.once("exit", () => resolve())).then(() => {
    const text = readFileSync(logPath, "utf8");
    rmSync(folder, { recursive: true, force: true });
    return text;
  });
  const listeners: ((line: string) => void)[] = [];
  const mails: string[] = [];
  listeners.push((line) => mails.push(...(line.match(/\S+\.txt/) ?? [])));
  for (const stream of [dev.stdout, dev.stderr]) {
    let rest = "";
    stream.on("data", (chunk: Buffer) => {
      appendFileSync(logPath, chunk);
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) for (const listener of listeners) listener(line);
    });
  }
  const url = `http://localhost:${port}`;
  const service: Service = {
    url,
    logPath,
    ended,
    call: (method, path, body, token, tenant) =>
      call(`${url}/api/v1${path}`, method, body, {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(tenant ? { "postern-tenant": tenant } : {}),
      }),
    mailedToken: (page) => mailedToken(mails, page),
    onLine: (listener) => void listeners.push(listener),
  };
  const healthy = async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok;
  await Promise.race([
    until("the service answers", healthy, START_TIMEOUT_MS),
    ended.then((text) => {
      throw new Error(`The service stopped: ${text.slice(-LAST_CHARACTERS)}`);
    }),
  ]);
  return service;
}

/** Returns `port`, or a free port for 0. Rejects when `port` is taken. */
function portOf(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(port, "localhost", () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}

async function call<T>(url: string, method: string, body: unknown, named: Record<string, string>): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...named },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { data: T; message?: string };
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${answer.message}`);
  return answer.data;
}

/**
 * Waits for a mail with a link to `page`; drops the earlier ones from `mails`, which holds the paths of their texts.
 */
async function mailedToken(mails: string[], page: string): Promise<string> {
  const link = new RegExp(`/${page}\\?token=([0-9a-f]{64})`);
  const read = () => {
    for (let path = mails.shift(); path; path = mails.shift()) {
      const token = readFileSync(path, "utf8").match(link)?.[1];
      if (token) return token;
    }
    return undefined;
  };
  return until(`a mail with a link to ${page} arrives`, read, MAIL_TIMEOUT_MS);
}

async function until<T>(
  what: string,
  read: () => Promise<T | undefined> | T | undefined,
  withinMs: number,
): Promise<T> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    const value = await read();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`Timed out after ${withinMs / 1000} s waiting until ${what}`);
}
