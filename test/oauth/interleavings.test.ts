/** Refreshes of an app that come at the same time as a revocation, a block or another role. */
import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { type App, Browser, begin, forgetClientsKey, newApp, postTo, proofOf, redeem, signInTo } from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { joinTenant } from "../support/people";

/** So many cost a second. */
const ROUNDS = 12;
const REFRESHES = 4;
let app: App;
let owner: Person;
let member: Person;
const browser = new Browser();

beforeAll(async () => {
  forgetClientsKey();
  [app, owner] = [await newApp(), await signUpVerified()];
  member = await joinTenant(owner, "viewer");
});

async function connect(): Promise<string> {
  const flow = await begin(app, { scope: "openid tenant offline_access" });
  const { tokens } = await redeem(flow, await signInTo(flow, member, browser));
  return tokens.refresh_token ?? "";
}

const refresh = (token: string) =>
  postTo("/oauth/token", { ...proofOf(app), grant_type: "refresh_token", refresh_token: token });
const ofOwner = (method: string, path: string, body: object) => call(method, path, { token: owner.token, body });
const say = (state: string | null) => ofOwner("PUT", `/tenant/apps/${app.id}`, { state });

const OTHERS = {
  revoke: (token: string) => postTo("/oauth/revoke", { ...proofOf(app), token }),
  block: () => say("blocked"),
  role: (_token: string, round: number) =>
    ofOwner("PATCH", `/members/${member.userId}`, { role: round % 2 === 0 ? "developer" : "viewer" }),
};
const KINDS = Object.keys(OTHERS) as (keyof typeof OTHERS)[];

test("give one successor, and what holds afterwards is what was said last", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const kind = KINDS[round % KINDS.length] ?? "revoke";
    const token = await connect();
    const works = Array.from({ length: REFRESHES }, () => () => refresh(token));
    works.splice(round % REFRESHES, 0, () => OTHERS[kind](token, round) as ReturnType<typeof refresh>);
    const answers = await Promise.all(works.map((work) => work()));
    expect(answers.map(({ status }) => status).filter((status) => ![200, 400].includes(status))).toEqual([]);
    const successors = new Set(answers.map(({ body }) => body["refresh_token"]).filter(Boolean));
    expect(successors.size).toBeLessThanOrEqual(1);
    const latest = String([...successors][0] ?? token);
    if (kind === "block") {
      expect([kind, (await refresh(latest)).status]).toEqual([kind, 400]);
      await say(null);
    }
    const after = await refresh(latest);
    expect([kind, after.status]).toEqual([kind, kind === "revoke" ? 400 : 200]);
    if (kind !== "role") continue;
    const { role } = decodeJwt(String(after.body["access_token"]));
    expect(role).toBe(round % 2 === 0 ? "developer" : "viewer");
  }
});
