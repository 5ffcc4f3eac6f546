import { createServer } from "node:http";
import { createSessionVerifier, SessionError } from "postern/session";

const sessions = createSessionVerifier({
  issuer: process.env.POSTERN_ISSUER ?? "https://postern.example.com",
  audience: "postern",
});

createServer(async (request, response) => {
  try {
    const token = (request.headers.authorization ?? "").replace(/^Bearer +/i, "");
    const { userId, tenantId, role } = await sessions.verify(token);
    response.end(`${userId} is ${role} of ${tenantId}\n`);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    response.writeHead(error.status).end(`${error.reason}\n`);
  }
}).listen(Number(process.env.PORT ?? 3000));
