/** `postern login`: signs somebody in with a browser, or tries a key, and keeps what works. */
import { fstatSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { PosternError } from "../client";
import { isPlatformKey, saveAccount, type Tokens } from "./account";
import { findEndpoints } from "./authorization-server";
import { clientOf } from "./client-of-account";
import type { Command } from "./command";
import { signInByDevice } from "./device-login";
import { EXIT, usage } from "./failure";
import { decoded } from "./input";
import { signInByBrowser } from "./loopback-login";
import { print } from "./output";

export const login: Command = {
  summary: "Sign in with the browser, another device, an API key or a platform key",
  details:
    "Opens the browser of this machine. Without one, --device shows a code to enter elsewhere.\n" +
    "--key asks for a key without showing it, and a key can come from a pipe. It is never an\n" +
    "argument, because other users of the machine can see arguments. Commands for the platform\n" +
    "need a platform key.",
  options: {
    url: { value: "URL", help: "the address of the service" },
    device: { help: "sign in on another device, with a code" },
    key: { help: "ask for a key" },
  },
  run: async ({ options: { url, device, key }, json }) => {
    if (!url) throw usage("Give the address of the service: --url URL");
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw usage(`Not the address of a service: ${url}`);
    const takesKey = key !== undefined || (device === undefined && isPiped());
    const endpoints = takesKey ? null : await findEndpoints(url);
    if (device !== undefined && !endpoints) throw usage("This service signs nobody in to apps. Use a key.");
    const signIn = device === undefined ? signInByBrowser : signInByDevice;
    const credential = endpoints ? await signIn(url, endpoints) : await keyOf(url);
    const path = saveAccount({ url, credential });
    print(json, { url, path }, `Signed in to ${url}. The ${kindOf(credential)} kept in ${path}.`);
    return EXIT.ok;
  },
};

/** Whether a key comes by standard input. */
function isPiped(): boolean {
  const stdin = fstatSync(0);
  return stdin.isFIFO() || stdin.isSocket() || stdin.isFile();
}

const kindOf = (credential: string | Tokens): string => (typeof credential === "string" ? "key is" : "tokens are");

async function keyOf(url: string): Promise<string> {
  const key = (await readKey()).trim();
  if (!/^[!-~]+$/.test(key)) throw usage("That is not a key.");
  await tryKey(url, key);
  return key;
}

/** Throws PosternError if the key does not work. A key without the permission to read is right all the same. */
async function tryKey(url: string, key: string): Promise<void> {
  const client = clientOf({ url, credential: key });
  try {
    await (isPlatformKey(key) ? client.platform.tenants.list({ limit: 1 }) : client.webhooks.list());
  } catch (error) {
    if (!(error instanceof PosternError && error.status === 403)) throw error;
  }
}

async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return decoded(Buffer.concat(chunks), "Standard input");
  }
  process.stderr.write("Key: ");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
