/** express-openid-connect, as its README shows it, with the code flow, renewed tokens and back-channel logout. */
import express from "express";
import { auth } from "express-openid-connect";

const { POSTERN_URL, CLIENT_ID, CLIENT_SECRET, APP_URL, APP_SECRET, PORT } = process.env;
const noted = new Map();
/** What it notes of sign-ins that have ended, with the methods of an express-session store. */
const store = {
  get: (id, callback) => callback(null, noted.get(id)),
  set: (id, note, callback) => callback(null, noted.set(id, note)),
  destroy: (id, callback) => callback(null, noted.delete(id)),
};
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
    backchannelLogout: { store },
    routes: { callback: "/auth/callback", backchannelLogout: "/auth/back-channel-logout" },
  }),
);
app.get("/", async (request, response) => {
  const { access_token: before } = request.oidc.accessToken;
  const { access_token: after } = await request.oidc.accessToken.refresh();
  const { email, tid } = request.oidc.user;
  response.json({ email, tenantId: tid, isRenewed: after !== before });
});
app.listen(Number(PORT));
