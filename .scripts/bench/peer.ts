/** `--compare peer`: the peer in a copy of its folder, built and served by its own library, taking turns with us. */
import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { ROOT } from "../bundle.ts";
import { type Answer, type Call, type Client, createClient, type Operation } from "./load.ts";
import { freePorts } from "./serve.ts";
import { temporaryFolder } from "./temporary.ts";

/** The peer's `lib/serve.js`. */
interface ServeLibrary {
  bundle(folder: string, outdir: string): void;
  serve(options: {
    script: string;
    port: number;
    worker: unknown;
    bindings: unknown;
  }): Promise<{ base: string; stop(): Promise<void> }>;
}

/** One operation of the peer's adapter: a request made from `input`, and what its response provides for later ones. */
interface PeerOperation<Input, Output> {
  request(input: Input): Call;
  read(response: Answer & { json: unknown }, input: Input): Output;
}

type Person = { email: string; password: string; name: string };
type Session = Record<string, unknown>;

/** The part of the peer's `bench/better-auth.js` that is used here. */
interface Adapter {
  name: string;
  versions: Record<string, string>;
  dir: string;
  script: string;
  worker: unknown;
  bindings(base: string): unknown;
  prepare(send: Client["send"]): Promise<unknown>;
  signUp: PeerOperation<Person, Session>;
  signIn: PeerOperation<Person, Session>;
  check: PeerOperation<Session, unknown>;
  signOut: PeerOperation<Session, unknown>;
  extras: [string, PeerOperation<Session, unknown>, number][];
}

export interface Peer {
  versions: Record<string, string>;
  client: Client;
  operations: Record<"signUp" | "signIn" | "check" | "checkJoined" | "signOut", Operation>;
  /** D1 round trips since the last call. */
  trips(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the peer in `folder`, a path from the root. Returns undefined when there is none. */
export async function startPeer(
  folder: string,
  concurrency: number,
  progress: (text: string) => void,
): Promise<Peer | undefined> {
  const source = resolve(ROOT, folder);
  if (!existsSync(join(source, "package.json"))) return undefined;
  const copy = temporaryFolder("peer");
  cpSync(source, copy, { recursive: true });
  makeWritable(copy);
  progress("peer: npm ci");
  await npmCi(copy);
  // Its library takes the Worker's path from here.
  process.chdir(copy);
  process.env.PATH = [join(copy, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const { bundle, serve } = (await import(join(copy, "lib/serve.js"))) as ServeLibrary;
  const { default: adapter } = (await import(join(copy, "bench/better-auth.js"))) as { default: Adapter };
  progress("peer: bundling");
  bundle(adapter.dir, join(copy, "dist"));
  const [port = 0] = await freePorts(1);
  const base = `http://127.0.0.1:${port}`;
  const script = join(copy, "dist", adapter.script);
  const service = await serve({ script, port, worker: adapter.worker, bindings: adapter.bindings(base) });
  const client = createClient(base, concurrency);
  await adapter.prepare(client.send);
  await client.send({ method: "POST", path: "/floor/setup" });
  return {
    versions: adapter.versions,
    client,
    operations: operationsOf(adapter, client),
    async trips() {
      const { trips } = JSON.parse((await client.send({ path: "/floor/d1-stats" })).text) as { trips: number };
      await client.send({ method: "POST", path: "/floor/d1-stats/reset" });
      return trips;
    },
    async stop() {
      client.close();
      await service.stop();
    },
  };
}

/** The shared folder is read-only, and so is its copy. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
    else chmodSync(join(folder, entry.name), 0o644);
  }
}

async function npmCi(folder: string): Promise<void> {
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((done, failed) => npm.once("error", failed).once("exit", done));
  if (code !== 0) throw new Error("the peer could not be installed");
}

/** People and sessions are reused. A session can end only once, so each sign-out ends the newest one. */
function operationsOf(adapter: Adapter, client: Client): Peer["operations"] {
  const people: Person[] = [];
  const sessions: Session[] = [];
  const operation = <Input>(
    name: string,
    { request, read }: PeerOperation<Input, unknown>,
    input: (index: number) => Input,
    keep: (output: unknown) => void = () => undefined,
  ): Operation => {
    const inputs = new Map<number, Input>();
    return {
      name: `peer: ${name}`,
      client,
      status: 200,
      call: (index) => {
        const given = input(index);
        inputs.set(index, given);
        return request(given);
      },
      read: (answer, index) => {
        const given = inputs.get(index) as Input;
        inputs.delete(index);
        keep(read({ ...answer, json: JSON.parse(answer.text) }, given));
      },
    };
  };
  const newPerson = () => {
    const person = {
      email: `peer${people.length}@example.com`,
      password: `bench pass phrase ${people.length}`,
      name: "P",
    };
    people.push(person);
    return person;
  };
  const keepSession = (session: unknown) => void sessions.push(session as Session);
  const pick = <T>(list: T[], index: number) => list[index % list.length] as T;
  const joined = adapter.extras.find(([name]) => name === "session check, joins on")?.[1] ?? adapter.check;
  return {
    signUp: operation("sign-up", adapter.signUp, newPerson, keepSession),
    signIn: operation("sign-in", adapter.signIn, (index) => pick(people, index), keepSession),
    check: operation("session check", adapter.check, (index) => pick(sessions, index % 8)),
    checkJoined: operation("session check, joins on", joined, (index) => pick(sessions, index % 8)),
    signOut: operation("sign-out", adapter.signOut, () => sessions.pop() as Session),
  };
}
