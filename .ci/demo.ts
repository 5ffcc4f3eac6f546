/**
 * `npm run demo` as a newcomer meets it: it comes up, deliveries flow, the commands that it offers work, and Ctrl-C
 * leaves nothing behind.
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { Secret, TOTP } from "otpauth";

const TIMEOUT_MS = 120_000;
const POLL_MS = 50;

function check(what: string, ok: boolean): void {
  if (!ok) throw new Error(`demo: ${what}`);
  console.log(`demo: ${what}`);
}

let output = "";
const demo = spawn("npm", ["run", "--silent", "demo"], { stdio: ["ignore", "pipe", "inherit"], detached: true });
const ended = new Promise<void>((resolve) => demo.once("exit", () => resolve()));
demo.stdout.on("data", (chunk: Buffer) => {
  output += chunk.toString();
});

async function printed(pattern: RegExp): Promise<string> {
  const end = Date.now() + TIMEOUT_MS;
  while (Date.now() < end) {
    const found = output.match(pattern);
    if (found) return found[1] ?? found[0];
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`demo: never printed ${pattern}:\n${output}`);
}

/** Signs in with what the screen says, and reads the status of the service. */
async function operatorGetsIn(): Promise<boolean> {
  const api = await printed(/API +(\S+)/);
  const body = {
    email: await printed(/\n +(staff@\S+)/),
    password: await printed(/password "([^"]+)"/),
    totp: new TOTP({ secret: Secret.fromBase32(await printed(/authenticator app: (\S+)/)) }).generate(),
  };
  const headers = { "content-type": "application/json" };
  const login = await fetch(`${api}/auth/login`, { method: "POST", headers, body: JSON.stringify(body) });
  const { data } = (await login.json()) as { data?: { accessToken: string } };
  const status = await fetch(`${api}/operator/status`, { headers: { authorization: `Bearer ${data?.accessToken}` } });
  return status.ok;
}

let failure: unknown;
try {
  const commands = await printed(/\nTry\n([\s\S]+?)\n\n/);
  const log = await printed(/Log +(\S+)/);
  await printed(/demo-1 .* healthy .* success/);
  await printed(/demo-1 .* failing .*\(status 500\)/);
  await printed(/demo-3 .* gateway .* success/);
  await printed(/ newcomer .* success/);
  await printed(/ notices .* success/);
  await printed(/mail to owner@demo\.example: /);
  check("attempts are printed, good and bad", true);
  const { stdout } = spawnSync("bash", ["-c", commands], { encoding: "utf8" });
  check("its commands list the subscribers", /'hanging', \d/.test(stdout));
  check("its commands show the latest failed attempt", /responseCode: 500/.test(stdout));
  check("its commands pause a subscriber", /"message":"Webhook/.test(stdout));
  check("its commands add a customer by the product's own id", /externalId: 'tea-house'/.test(stdout));
  check("its commands publish for a customer", /deliveries: \d/.test(stdout));
  await printed(/ platform .* success/);
  check("the platform's subscriber hears of customers", true);
  check("its commands call the source", /"message":"Accepted"/.test(stdout));
  await printed(/ listener .* success/);
  check("the listener hears of the source", true);
  check("its commands read the feed", /\[ 'OrderPaid', \{ number/.test(stdout));
  check("its commands show metrics", /postern_deliveries_open/.test(stdout));
  check(
    "its commands find an event's publisher and attempts",
    /"route":"\/api\/v1\/events"[\s\S]*"message":"attempt"/.test(stdout),
  );
  check("its operator gets in", await operatorGetsIn());
  if (demo.pid) process.kill(-demo.pid, "SIGINT");
  await ended;
  const url = await printed(/Docs +(\S+)/);
  const answered = await fetch(url).catch(() => undefined);
  check("Ctrl-C stops it", answered === undefined);
  check("Ctrl-C removes its data", !existsSync(log));
} catch (error) {
  failure = error;
  if (demo.pid) process.kill(-demo.pid, "SIGTERM");
  await ended;
}
if (failure) console.error(failure);
process.exit(failure ? 1 : 0);
