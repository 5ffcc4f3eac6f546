/**
 * The product of `npm run dev -- --app ORIGIN`, registered as an app that people sign in to. What its backend needs is
 * in a file that `node --env-file` reads, and stays the same for as long as the file and the data do.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Flags } from "./flags.ts";

/** Returns the path of the file. */
export async function registerApp(
  app: string,
  { address, persistTo }: Pick<Flags, "address" | "persistTo">,
  platformKey: string,
): Promise<string> {
  const file = join(persistTo, "app.env");
  const known = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const send = async (method: string, path: string, body: object): Promise<{ id: string; secret?: string } | null> => {
    const headers = { authorization: `Bearer ${platformKey}`, "content-type": "application/json" };
    const url = `${address}/api/v1/platform/clients${path}`;
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`The app was not registered: ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string; secret?: string } }).data;
  };
  const addresses = {
    redirectUrls: [`${app}/auth/callback`],
    postLogoutUrls: [`${app}/`],
    backchannelLogoutUrl: `${app}/auth/back-channel-logout`,
  };
  const { CLIENT_ID, CLIENT_SECRET, APP_SECRET = randomBytes(32).toString("hex") } = known;
  const kept = CLIENT_ID && CLIENT_SECRET ? await send("PATCH", `/${CLIENT_ID}`, addresses) : null;
  const client = kept ? { ...kept, secret: CLIENT_SECRET } : await send("POST", "", { name: "App", ...addresses });
  const settings = {
    POSTERN_URL: address,
    PLATFORM_KEY: platformKey,
    CLIENT_ID: client?.id,
    CLIENT_SECRET: client?.secret,
    APP_URL: app,
    APP_SECRET,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(""), { mode: 0o600 });
  return file;
}
