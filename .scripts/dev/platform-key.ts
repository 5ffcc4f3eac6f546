/**
 * The platform key of `npm run dev`, so that a product can call the service at once. It stays the same for as long as
 * its file does, and exists only for a service that nobody else reaches.
 */
import { createHash, randomInt, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Miniflare } from "miniflare";
import { PLATFORM_SCOPES } from "../../src/base/schemas/platform-scopes.ts";
import type { Flags } from "./flags.ts";
import { DATABASES_WORKER } from "./migrate.ts";

const NAME = "npm run dev";
const LOCAL_ADDRESSES = new Set(["localhost", "127.0.0.1", "::1"]);
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS = 34;
const CHECKSUM_CHARACTERS = 6;
const SHOWN_CHARACTERS = 8;

/**
 * Returns a key with all scopes, which works from now on. Null where others may reach the service: it listens beyond
 * this machine, or `WEBHOOK_EGRESS` is not `any`.
 */
export async function platformKeyOf(
  databases: Miniflare,
  { ip, persistTo }: Pick<Flags, "ip" | "persistTo">,
  egress: unknown,
): Promise<string | null> {
  if (!LOCAL_ADDRESSES.has(ip) || egress !== "any") return null;
  const key = keyIn(persistTo);
  const hash = createHash("sha256").update(key).digest("hex");
  const database = await databases.getD1Database("DB", DATABASES_WORKER);
  const known = await database.prepare("SELECT 1 FROM platform_key_hashes WHERE hash = ?").bind(hash).first();
  if (known) return key;
  const id = randomUUID();
  const shown = `${key.slice(0, SHOWN_CHARACTERS)}…`;
  await database.batch([
    database
      .prepare("INSERT INTO platform_keys (id, name, prefix, scopes, created_at) VALUES (?, ?, ?, ?, ?)")
      .bind(id, NAME, shown, JSON.stringify(PLATFORM_SCOPES), Date.now()),
    database.prepare("INSERT INTO platform_key_hashes (hash, key_id) VALUES (?, ?)").bind(hash, id),
  ]);
  return key;
}

/** `--fresh` leaves the file: a product that has the key goes on with it. */
function keyIn(folder: string): string {
  const file = join(folder, "platform-key");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  mkdirSync(folder, { recursive: true });
  const key = newKey();
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** In the form of `src/base/crypto/checked-token.ts`, which this program cannot import. */
function newKey(): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const text = `psk_${random.join("")}`;
  let remainder = crc32(text);
  let checksum = "";
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) {
    checksum = ALPHABET.charAt(remainder % ALPHABET.length) + checksum;
    remainder = Math.floor(remainder / ALPHABET.length);
  }
  return text + checksum;
}
