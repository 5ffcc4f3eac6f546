/** The sample of `npm run mcp` with the next line of its library, `@modelcontextprotocol/server` 2. */
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createResourceVerifier, SessionError } from "postern/session";
import * as z from "zod";

const { POSTERN_URL: issuer, PORT, RESOURCE: resource } = process.env;
const [READ, WRITE] = ["notes.read", "notes.write"];
const access = createResourceVerifier({ issuer, resource, requiredScopes: [READ], scopes: [READ, WRITE] });
const NEEDS = { "add-note": [WRITE] };
const notes = new Map();

const mcp = createMcpHandler(({ authInfo }) => {
  const { tenantId, userId } = authInfo.extra;
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const own = notes.get(tenantId) ?? [];
  const text = (said) => ({ content: [{ type: "text", text: said }] });
  server.registerTool("list-notes", { description: "Lists the notes of the tenant." }, () => text(own.join("\n")));
  const add = { description: "Adds a note.", inputSchema: z.object({ note: z.string().max(1000) }) };
  server.registerTool("add-note", add, ({ note }) => {
    notes.set(tenantId, [...own, `${userId}: ${note}`]);
    return text("Added.");
  });
  return server;
});

async function answer(request) {
  if (access.metadataPaths.includes(new URL(request.url).pathname)) return Response.json(access.metadata());
  try {
    const { method, params } = request.method === "POST" ? await request.clone().json() : {};
    const needs = method === "tools/call" ? (NEEDS[params?.name] ?? []) : [];
    return await mcp.fetch(request, { authInfo: await access.authInfo(request, needs) });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const headers = { "WWW-Authenticate": access.challenge(error) };
    return Response.json({ error: error.reason }, { status: error.status, headers });
  }
}

createServer(toNodeHandler({ fetch: answer })).listen(Number(PORT), () => console.log("ready"));
