/** `npm run dev` with a database of its own, the mails that it prints, and a webhook receiver on this machine. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT, type Issuer } from "./issuer.ts";

const START_TIMEOUT_MS = 240_000;
const MAIL_TIMEOUT_MS = 60_000;
/**
 * Below the ports that a system gives to connections, and to servers that ask for any: it could give a free one away
 * before the service listens there. Each worker of Vitest has some of its own.
 */
const FIRST_PORT = 11_000;
const PORTS_OF_WORKER = 500;
const POLL_MS = 100;
const LIMITS = { register: { limit: 1000, windowSeconds: 60 }, login: { limit: 1000, windowSeconds: 60 } };

/** The address in the setting `OPERATORS`. */
export const OPERATOR = "operator@example.com";

interface Arrival {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  /** Answers with the status that its path starts with: `/500/x`. */
  url(path: string): string;
  arrivals: Arrival[];
  close(): void;
}

export interface DevServer {
  base: string;
  /** The link in the newest mail to an address, once it has come. */
  mailedLink(to: string, subject: RegExp): Promise<string>;
  /** The path of the text of the newest mail to an address, once it has come. */
  mailFile(to: RegExp, subject: RegExp): Promise<string>;
  /** The platform key that it prints. */
  platformKey(): Promise<string>;
  /** The path of the settings that it has written for the app of `--app`. */
  appFile(): Promise<string>;
  stop(): Promise<void>;
}

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    arrivals.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(Number(path.split("/")[1])).end("<script>alert('from the receiver')</script> thank you");
  });
  const port = await listen(server);
  return { url: (path) => `http://127.0.0.1:${port}${path}`, arrivals, close: () => server.close() };
}

export interface Framer {
  /** The origin whose pages may frame portals. */
  origin: string;
  /** A page at this host that shows `url` in a frame. */
  url(host: "127.0.0.1" | "localhost", url: string): string;
  /** The same in a page of the origin that is isolated: it embeds only what agrees to that. */
  isolated(url: string): string;
  close(): void;
}

/** Somebody else's site, which shows pages in frames. */
export async function startFramer(): Promise<Framer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://framer");
    const framed = searchParams.get("framed") ?? "";
    const isolation = pathname === "/isolated" ? { "cross-origin-embedder-policy": "require-corp" } : {};
    response.writeHead(200, { "content-type": "text/html", ...isolation });
    response.end(`<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title>
      <iframe title="Portal" width="1000" height="700" src="${framed.replaceAll("&", "&amp;")}"></iframe></html>`);
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    url: (host, url) => `http://${host}:${port}/?framed=${encodeURIComponent(url)}`,
    isolated: (url) => `http://127.0.0.1:${port}/isolated?framed=${encodeURIComponent(url)}`,
    close: () => server.close(),
  };
}

let port = FIRST_PORT + PORTS_OF_WORKER * Number(process.env.VITEST_POOL_ID ?? 0);

/** Returns another port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    port += 1;
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

const settingsOf = (base: string, issuer: Pick<Issuer, "url">) => [
  `RATE_LIMITS:${JSON.stringify(LIMITS)}`,
  "WEBHOOK_EGRESS:any",
  `OPERATORS:${OPERATOR}`,
  `PUBLIC_URL:${base}`,
  "OAUTH_SERVER:on",
  "SIGN_ON:on",
  `OIDC_ISSUER:${issuer.url}`,
  `OIDC_CLIENT_ID:${CLIENT.id}`,
  `OIDC_CLIENT_SECRET:${CLIENT.secret}`,
];

/** `more` are settings, each as `NAME:value`. `app` is the origin of an app that people sign in to. */
export async function startDevServer(
  port: number,
  issuer: Pick<Issuer, "url">,
  more: readonly string[] = [],
  app?: string,
): Promise<DevServer> {
  const base = `http://localhost:${port}`;
  const state = mkdtempSync(join(tmpdir(), "postern-console-"));
  const vars = [...settingsOf(base, issuer), ...more].flatMap((value) => ["--var", value]);
  const flags = ["--port", String(port), "--inspector-port", "0", "--persist-to", state, ...vars];
  if (app !== undefined) flags.push("--app", app);
  const dev = spawn(process.execPath, [".scripts/dev.ts", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<void>((resolve) => dev.once("exit", () => resolve()));

  const waitFor = async <T>(what: string, withinMs: number, read: () => Promise<T | undefined> | T | undefined) => {
    const end = Date.now() + withinMs;
    for (;;) {
      const value = await read();
      if (value !== undefined) return value;
      if (Date.now() > end || dev.exitCode !== null)
        throw new Error(`did not happen: ${what}\n${output.slice(-3_000)}`);
      await sleep(POLL_MS);
    }
  };
  const healthy = async () => ((await fetch(`${base}/health`).catch(() => undefined))?.ok ? true : undefined);
  await waitFor("the service answers", START_TIMEOUT_MS, healthy);

  const newest = (isTo: (address: string) => boolean, subject: RegExp) =>
    [...output.matchAll(/To: (\S+)\s+Subject: (.+)\s+Text: (\S+\.txt)/g)].findLast(
      ([, to = "", title = ""]) => isTo(to) && subject.test(title),
    )?.[3];
  return {
    base,
    mailedLink: (to, subject) =>
      waitFor(`mail ${subject} to ${to}`, MAIL_TIMEOUT_MS, () => {
        const file = newest((address) => address === to, subject);
        return file === undefined ? undefined : (readFileSync(file, "utf8").match(/https?:\S+/)?.[0] ?? undefined);
      }),
    mailFile: (to, subject) =>
      waitFor(`mail ${subject} to ${to}`, MAIL_TIMEOUT_MS, () => newest((address) => to.test(address), subject)),
    platformKey: () => waitFor("a platform key", START_TIMEOUT_MS, () => output.match(/PLATFORM_KEY=(psk_\w+)/)?.[1]),
    appFile: () => waitFor("an app", START_TIMEOUT_MS, () => output.match(/--env-file=(\S+)/)?.[1]),
    stop: async () => {
      dev.kill("SIGTERM");
      await ended;
      rmSync(state, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}
