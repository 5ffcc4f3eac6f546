/** express-openid-connect, as its README shows it, with the code flow and tokens that are renewed. */
import express from "express";
import { auth } from "express-openid-connect";

const { POSTERN_URL, CLIENT_ID, CLIENT_SECRET, APP_URL, APP_SECRET, PORT } = process.env;
const app = express();
app.use(
  auth({
    issuerBaseURL: POSTERN_URL,
    baseURL: APP_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: APP_SECRET,
    idpLogout: true,
    authorizationParams: { response_type: "code", scope: "openid email tenant offline_access" },
    routes: { callback: "/auth/callback" },
  }),
);
app.get("/", async (request, response) => {
  const { access_token: before } = request.oidc.accessToken;
  const { access_token: after } = await request.oidc.accessToken.refresh();
  const { email, tid } = request.oidc.user;
  response.json({ email, tenantId: tid, isRenewed: after !== before });
});
app.listen(Number(PORT));
