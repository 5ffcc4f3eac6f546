/** The sample of `npm run mcp`: an API for agents, registered here, whose server ends with this process. */
import { spawn } from "node:child_process";
import type { Flags } from "./flags.ts";

const NOTES = {
  name: "Notes",
  scopes: [
    { name: "notes.read", description: "Read your notes", default: true },
    { name: "notes.write", description: "Add notes" },
  ],
  // Agents are registered by nobody.
  unlisted: true,
};

/** Returns where it answers. It is registered once for as long as the data stays. */
export async function startSample(
  { address }: Pick<Flags, "address">,
  port: number,
  platformKey: string,
): Promise<string> {
  const resource = `http://localhost:${port}/mcp`;
  const headers = { authorization: `Bearer ${platformKey}`, "content-type": "application/json" };
  const url = `${address}/api/v1/platform/resources`;
  const answer = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...NOTES, identifier: resource }),
  });
  if (!answer.ok && answer.status !== 409) throw new Error(`The API was not registered: ${await answer.text()}`);
  const env = { ...process.env, POSTERN_URL: address, PORT: String(port), RESOURCE: resource };
  const server = spawn(process.execPath, ["src/docs/pages/mcp/server.mjs"], { stdio: "inherit", env });
  process.on("exit", () => server.kill());
  return resource;
}
