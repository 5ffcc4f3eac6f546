import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { createResourceVerifier, SessionError } from "postern/session";
import * as z from "zod";

const { POSTERN_URL: issuer = "http://localhost:8787", PORT = "3001" } = process.env;
const { RESOURCE: resource = `http://localhost:${PORT}/mcp` } = process.env;
const [READ, WRITE] = ["notes.read", "notes.write"];
const access = createResourceVerifier({
  issuer,
  resource,
  requiredScopes: [READ],
  scopes: [READ, WRITE],
  name: "Notes",
});

/** What a tool needs besides; an app asks for it when a person first uses the tool. */
const NEEDS = { "add-note": [WRITE] };
/** By tenant. A product has a database. */
const notes = new Map();

/** The tools for the sender of one request. */
function serverFor({ tenantId, userId }) {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const own = notes.get(tenantId) ?? [];
  const text = (said) => ({ content: [{ type: "text", text: said }] });
  server.registerTool("list-notes", { description: "Lists the notes of the tenant." }, () => text(own.join("\n")));
  const add = { description: "Adds a note.", inputSchema: { note: z.string().max(1000) } };
  server.registerTool("add-note", add, ({ note }) => {
    notes.set(tenantId, [...own, `${userId}: ${note}`]);
    return text("Added.");
  });
  return server;
}

const app = express();
app.get(access.metadataPaths, (_request, response) => response.json(access.metadata()));
app.use("/mcp", express.json());
app.all("/mcp", async (request, response) => {
  try {
    const { authorization = "", dpop } = request.headers;
    const headers = new Headers({ authorization, ...(dpop ? { dpop } : {}) });
    const { method, params } = request.body ?? {};
    const needs = method === "tools/call" ? (NEEDS[params?.name] ?? []) : [];
    const sender = await access.verify(new Request(resource, { method: request.method, headers }), needs);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await serverFor(sender).connect(transport);
    await transport.handleRequest(request, response, request.body);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    response.status(error.status).set("WWW-Authenticate", access.challenge(error)).json({ error: error.reason });
  }
});
app.listen(Number(PORT), () => console.log(`Notes for agents: ${resource}`));
