/** The sample of `npm run mcp`: an API for agents, registered here, whose server ends with this process. */
import { spawn } from "node:child_process";
import type { Flags } from "./flags.ts";

const PORT = "3001";
const RESOURCE = `http://localhost:${PORT}/mcp`;
const NOTES = {
  name: "Notes",
  identifier: RESOURCE,
  scopes: [
    { name: "notes.read", description: "Read your notes", default: true },
    { name: "notes.write", description: "Add notes" },
  ],
  // Agents are registered by nobody.
  unlisted: true,
};

/** Returns where it answers. It is registered once for as long as the data stays. */
export async function startSample({ address }: Pick<Flags, "address">, platformKey: string): Promise<string> {
  const headers = { authorization: `Bearer ${platformKey}`, "content-type": "application/json" };
  const url = `${address}/api/v1/platform/resources`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(NOTES) });
  if (!answer.ok && answer.status !== 409) throw new Error(`The API was not registered: ${await answer.text()}`);
  const env = { ...process.env, POSTERN_URL: address, PORT, RESOURCE };
  const server = spawn(process.execPath, ["src/docs/pages/mcp/server.mjs"], { stdio: "inherit", env });
  process.on("exit", () => server.kill());
  return RESOURCE;
}
