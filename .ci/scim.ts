/**
 * `npm run scim`: scim2-tester, which reads the schemas that a SCIM server publishes and tries each attribute of them,
 * against the directory of a customer of a real `npm run dev`. NOT CHECKED where Python or its packages are not to be
 * had. With the address of a Python that has scim2-tester already, that one is used.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { newCustomer } from "../test/browser/customer.ts";
import { type DevServer, freePort, startDevServer } from "../test/browser/dev-server.ts";

const TESTER = "scim2-tester==0.5.2";

/** Returns the path of a Python with the tester, or null with the reason printed. */
async function python(folder: string): Promise<string | null> {
  const bin = join(folder, "bin");
  try {
    await promisify(execFile)("python3", ["-m", "venv", folder]);
    await promisify(execFile)(join(bin, "pip"), ["install", "--quiet", TESTER, "scim2-client[httpx2]"]);
    return join(bin, "python");
  } catch (error) {
    console.log(`NOT CHECKED ${TESTER}: ${error instanceof Error ? error.message.trim().split("\n").at(-1) : error}`);
    return null;
  }
}

async function tryDirectory(program: string, server: DevServer): Promise<void> {
  const acme = await newCustomer(server);
  const made = await acme.call("POST", "/tenant/connections", { name: "Directory" });
  if (made.status !== 201) throw new Error(`The connection answered ${made.status} ${JSON.stringify(made.body)}`);
  const { id, scimUrl } = made.body.data;
  const { token } = (await acme.call("POST", `/tenant/connections/${id}/scim-tokens`, {})).body.data;
  const file = join(import.meta.dirname, "scim/tester.py");
  const [status] = await once(spawn(program, [file, scimUrl, token], { stdio: "inherit" }), "exit");
  console.log(`${status === 0 ? "ok     " : "FAILED "} ${TESTER}`);
  if (status !== 0) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), "postern-scim-"));
let server: DevServer | undefined;
try {
  const program = process.argv[2] ?? (await python(folder));
  if (program !== null) {
    server = await startDevServer(await freePort(), { url: "https://id.example" });
    await tryDirectory(program, server);
  }
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
