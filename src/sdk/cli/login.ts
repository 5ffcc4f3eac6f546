/** `postern login`: tries a key, and keeps it with the address of the service. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { PosternError } from "../client";
import { type Account, clientOf, isPlatformKey, saveAccount } from "./account";
import type { Command } from "./command";
import { EXIT, usage } from "./failure";
import { decoded } from "./input";
import { print } from "./output";

export const login: Command = {
  summary: "Sign in with an API key or a platform key",
  details:
    "The key is read from standard input, or asked for without showing it. It is never an\n" +
    "argument, because other users of the machine can see arguments.",
  options: { url: { value: "URL", help: "the address of the service" } },
  run: async ({ options: { url }, json }) => {
    if (!url) throw usage("Give the address of the service: --url URL");
    const account = { url, key: (await readKey()).trim() };
    if (!/^[!-~]+$/.test(account.key)) throw usage("That is not a key.");
    await tryKey(account);
    const path = saveAccount(account);
    print(json, { url, path }, `Signed in to ${url}. The key is kept in ${path}.`);
    return EXIT.ok;
  },
};

/** Throws PosternError if the key does not work. A key without the permission to read is right all the same. */
async function tryKey(account: Account): Promise<void> {
  const client = clientOf(account);
  try {
    await (isPlatformKey(account.key) ? client.platform.tenants.list({ limit: 1 }) : client.webhooks.list());
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
