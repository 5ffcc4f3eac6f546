/** Requests that apps push before they send somebody (RFC 9126). */
import { env } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  type App,
  Browser,
  begin,
  type Flow,
  forgetClientsKey,
  HTTP,
  newApp,
  postTo,
  proofOf,
  redeem,
  signInTo,
} from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";
import { countedEnv, readSigners } from "../support/cost";
import { callUnder } from "../support/overrides";
import { newApi } from "../support/resources";

let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp({ pushedOnly: true }), await signUpVerified()];
});

/** What an app would send the browser with. */
const paramsOf = ({ url }: Flow): Record<string, string> => Object.fromEntries(new URL(url).searchParams);
const push = (to: App, params: Record<string, string>) => postTo("/oauth/par", { ...proofOf(to), ...params });
const linkTo = ({ server }: Flow, clientId: string, name: unknown, more: Record<string, string> = {}) => {
  const params = { client_id: clientId, request_uri: String(name), ...more };
  return `${server.authorization_endpoint}?${new URLSearchParams(params)}`;
};

describe("a pushed request", () => {
  test("signs somebody in by a library, and nothing beside it counts", async () => {
    const flow = await begin(app);
    const { server, client, proof } = flow;
    const response = await oauth.pushedAuthorizationRequest(server, client, proof, paramsOf(flow), HTTP);
    const pushed = await oauth.processPushedAuthorizationResponse(server, client, response);
    expect([response.status, pushed.expires_in]).toEqual([201, 90]);
    const beside = { scope: "openid", state: "another", redirect_uri: "https://evil.example/" };
    const url = linkTo(flow, app.id, pushed.request_uri, beside);
    const { claims } = await redeem(flow, await signInTo({ ...flow, url }, person));
    expect(claims).toMatchObject({ sub: person.userId, email: person.email });
  });

  test("is the only way in for an app that must push, and open to others", async () => {
    const flow = await begin(app);
    const { page } = await new Browser().follow(flow.url);
    expect(new URL(page.next ?? "").searchParams.get("error")).toBe("invalid_request");
    const other = await newApp();
    const theirs = await begin(other);
    const name = (await push(other, paramsOf(theirs))).body["request_uri"];
    await redeem(theirs, await signInTo({ ...theirs, url: linkTo(theirs, other.id, name) }, person));
    await redeem(theirs, await signInTo(theirs, person));
  });

  test("is taken of an app that nobody has registered, before somebody has allowed it something", async () => {
    const host = `good-${crypto.randomUUID()}.apps.example`;
    const [unlisted, api] = [{ id: `https://${host}/client.json` }, await newApi({ unlisted: true })];
    const asked = { redirect_uri: `https://${host}/callback`, scope: "notes.read", resource: api.identifier };
    const flow = await begin(unlisted, asked);
    const { status, body } = await push(unlisted, paramsOf(flow));
    const url = linkTo(flow, unlisted.id, body["request_uri"]);
    const answered = await signInTo({ ...flow, url }, person);
    expect([status, answered.origin, answered.searchParams.has("code")]).toEqual([201, `https://${host}`, true]);
  });

  test.each<[what: string, link: (flow: Flow, name: string) => Promise<string>]>([
    ["of another client", async (flow, name) => linkTo(flow, (await newApp()).id, name)],
    ["without a client", async (flow, name) => linkTo(flow, "", name)],
    ["that was changed", async (flow, name) => linkTo(flow, app.id, `${name.slice(0, -4)}AAAA`)],
    [
      "that has expired",
      async (flow, name) => {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 91_000 });
        return linkTo(flow, app.id, name);
      },
    ],
  ])("%s leads to our own page, and nowhere else", async (_what, link) => {
    const flow = await begin(app);
    const name = String((await push(app, paramsOf(flow))).body["request_uri"]);
    const page = await new Browser().open(await link(flow, name));
    vi.useRealTimers();
    expect([page.status, page.next]).toEqual([400, null]);
  });

  test.each<[what: string, changes: Record<string, string>, status: number, error: string]>([
    ["with a redirect URL that is not registered", { redirect_uri: "https://evil.example/" }, 400, "invalid_request"],
    ["without PKCE", { code_challenge: "" }, 400, "invalid_request"],
    ["with another response type", { response_type: "token" }, 400, "unsupported_response_type"],
    ["that names another one", { request_uri: "urn:ietf:params:oauth:request_uri:x" }, 400, "invalid_request"],
    ["that is too long", { login_hint: "x".repeat(9_000) }, 400, "invalid_request"],
    ["with a wrong secret", { client_secret: `pcs_${"0".repeat(40)}` }, 401, "invalid_client"],
  ])("%s is refused at once", async (_what, changes, status, error) => {
    const refused = await push(app, { ...paramsOf(await begin(app)), ...changes });
    expect([refused.status, refused.body["error"]]).toEqual([status, error]);
  });

  test("costs a trip and no rows, however many there are", async () => {
    await readSigners();
    const params = paramsOf(await begin(app));
    const { counted, cost } = countedEnv();
    const form = { ...params, ...proofOf(app) };
    const one = await callUnder({ ...counted }, { path: "/oauth/par", form, ip: newAddress() });
    expect([one.status, cost.trips, cost.rowsWritten]).toEqual([201, 1, 0]);
    const rows = () => env.DB.prepare("SELECT count(*) AS n FROM used_states").first<number>("n");
    const before = await rows();
    const names = await Promise.all(
      Array.from({ length: 30 }, async () => (await push(app, params)).body["request_uri"]),
    );
    expect([new Set(names).size, await rows()]).toEqual([30, before]);
    const RATE_LIMITS = JSON.stringify({ pushRequest: { limit: 2, windowSeconds: 60 } });
    const ip = newAddress();
    const statuses = await Promise.all(
      Array.from(
        { length: 5 },
        async () => (await callUnder({ RATE_LIMITS }, { path: "/oauth/par", form, ip })).status,
      ),
    );
    expect(statuses.toSorted()).toEqual([201, 201, 429, 429, 429]);
  });
});
