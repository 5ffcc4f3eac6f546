/** Keycloak on this machine, as Maven has it: with a realm, a client, groups and people. */
import { type ExecFileSyncOptions, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const VERSION = "26.7.3";
const ARTIFACT = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
const ADMIN = { username: "admin", password: "not a secret: the machine is alone with it" };
const REALM = `acme-${Date.now()}`;
export const PASSWORD = "correct horse battery staple";
/** It builds itself first: 24 s on a machine that does nothing else. */
const START_TIMEOUT_MS = 600_000;

export interface Keycloak {
  version: string;
  /** The realm's. */
  issuer: string;
  /** A call of the realm's admin API. Returns the id of what it has made, if anything. */
  admin(method: string, path: string, body?: object): Promise<string>;
  stop(): Promise<void>;
}

/** Gets it into the folder. Throws if there is no Maven, no JDK, or no registry. */
function install(folder: string): void {
  const options: ExecFileSyncOptions = { cwd: folder, stdio: ["ignore", "ignore", "pipe"] };
  execFileSync("mvn", ["-q", "dependency:copy", `-Dartifact=${ARTIFACT}`, "-DoutputDirectory=."], options);
  execFileSync("jar", ["xf", `keycloak-quarkus-dist-${VERSION}.zip`], options);
}

/** Starts it in the folder, or uses one that listens at `running`. Its processes end with `stop`. */
export async function startKeycloak(folder: string, port: number, running?: string): Promise<Keycloak> {
  const stop = running === undefined ? await start(folder, port) : async () => {};
  const base = running ?? `http://localhost:${port}`;
  const admin = adminOf(base);
  await admin("POST", "/admin/realms", { realm: REALM, enabled: true });
  return {
    version: VERSION,
    issuer: `${base}/realms/${REALM}`,
    admin: (method, path, body) => admin(method, `/admin/realms/${REALM}${path}`, body),
    stop,
  };
}

/** Returns what ends it. */
async function start(folder: string, port: number): Promise<() => Promise<void>> {
  install(folder);
  const child = spawn("sh", [join(folder, `keycloak-${VERSION}`, "bin", "kc.sh"), "start-dev", `--http-port=${port}`], {
    env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const stop = async () => {
    // The script starts a program of its own, which ends with its group.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await once(child, "exit");
  };
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end && child.exitCode === null; ) {
    if ((await fetch(`http://localhost:${port}/realms/master`).catch(() => undefined))?.ok) return stop;
    await sleep(250);
  }
  if (child.exitCode === null) await stop();
  throw new Error(`Keycloak does not answer:\n${output.slice(-2_000)}`);
}

const adminOf = (base: string) => async (method: string, path: string, body?: object) => {
  const form = new URLSearchParams({ ...ADMIN, grant_type: "password", client_id: "admin-cli" });
  const granted = await fetch(`${base}/realms/master/protocol/openid-connect/token`, { method: "POST", body: form });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const answer = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`);
  return answer.headers.get("location")?.split("/").at(-1) ?? "";
};

/** Makes somebody, whose address is their user name, in groups. Returns their id. */
export const makePerson = ({ admin }: Keycloak, email: string, more: object = {}) =>
  admin("POST", "/users", {
    username: email,
    email,
    emailVerified: true,
    firstName: "Ada",
    lastName: "Lovelace",
    enabled: true,
    credentials: [{ type: "password", value: PASSWORD }],
    ...more,
  });

/** The mapper of the recipe: names of groups without their path, in ID tokens. */
export const GROUP_MAPPER = {
  name: "groups",
  protocol: "openid-connect",
  protocolMapper: "oidc-group-membership-mapper",
  config: { "claim.name": "groups", "full.path": "false", "id.token.claim": "true" },
};
