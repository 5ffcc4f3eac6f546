import { createSessionVerifier, SessionError } from "postern/session";

// Outside the handler: the isolate keeps the keys and the list of revoked tokens.
const sessions = createSessionVerifier({ issuer: "https://postern.example.com", audience: "postern" });

export default {
  async fetch(request) {
    try {
      const token = (request.headers.get("authorization") ?? "").replace(/^Bearer +/i, "");
      const { userId, tenantId, role } = await sessions.verify(token);
      return new Response(`${userId} is ${role} of ${tenantId}\n`);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      return new Response(`${error.reason}\n`, { status: error.status });
    }
  },
};
