import { createWebSession } from "postern/web";

const { POSTERN_URL: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, APP_SECRET: secret } = process.env;
export const origin = process.env.APP_URL;
export const web = createWebSession({ issuer, clientId, clientSecret, secret, origin });
